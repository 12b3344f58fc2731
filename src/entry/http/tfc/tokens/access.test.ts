import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import type { SsoFace } from '../../../../../test/rig/sso-face.ts'
import { tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { newTeam } from '../../../../../test/rig/tfc-people.ts'
import { tokenRoutes } from './face.ts'

async function newPool(face: SsoFace): Promise<string> {
  const body = { type: 'agent-pools', attributes: { name: face.fresh('pool') } }
  return (await tfcAs(face, face.root)('POST', 'organizations/default/agent-pools', body)).data.id
}

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(tokenRoutes, async (face, { method, pattern }, person) => {
    const ask = tfcAs(face, face.root)
    const team = pattern.includes('{team}') ? await newTeam(face, { visibility: 'organization' }) : ''
    const pool = pattern.includes('{pool}') ? await newPool(face) : ''
    const path = pattern
      .replace('/api/v2/', '')
      .replace('{org}', 'default')
      .replace('{user}', person.id)
      .replace('{team}', team)
      .replace('{pool}', pool)
    if (path.endsWith('{token}')) {
      const of = `organizations/default/authentication-token`
      return tfcCall(method, path.replace('{token}', (await ask('POST', of)).data.id))
    }
    if (path.endsWith('/authentication-token') && method !== 'POST') await ask('POST', path)
    if (method === 'PATCH') return tfcCall(method, path, { attributes: { 'token-ttl-policies': [] } })
    return tfcCall(
      method,
      path,
      method === 'POST' ? { attributes: { description: face.fresh('t') } } : undefined,
    )
  })
  expect(rows).toEqual([
    'DELETE /api/v2/authentication-tokens/{token} · org:read · 3333+3 33 ++ 44 11111',
    'DELETE /api/v2/organizations/{org}/authentication-token · token:manage · 3333+3 33 ++ 44 11111',
    'DELETE /api/v2/teams/{team}/authentication-token · org:read · 3333+3 33 ++ 44 11111',
    'GET /api/v2/agent-pools/{pool}/authentication-tokens · token:manage · 3333+3 33 ++ 44 11111',
    'GET /api/v2/authentication-tokens/{token} · org:read · 3333+3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/authentication-token · token:manage · 3333+3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/team-tokens · token:manage · 3333+3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/token-ttl-policies · access:read · 3333++ 33 ++ 44 11111',
    'GET /api/v2/teams/{team}/authentication-token · org:read · 3333+3 33 ++ 44 11111',
    'GET /api/v2/teams/{team}/authentication-tokens · org:read · 3333+3 33 ++ 44 11111',
    'GET /api/v2/users/{user}/authentication-tokens · account:manage · ++++++ 33 3+ ++ 11111',
    'PATCH /api/v2/organizations/{org}/token-ttl-policies · token:manage · 3333+3 33 ++ 44 11111',
    'POST /api/v2/agent-pools/{pool}/authentication-tokens · token:manage · 3333+3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/authentication-token · token:manage · 3333+3 33 ++ 44 11111',
    'POST /api/v2/teams/{team}/authentication-token · org:read · 3333+3 33 ++ 44 11111',
    'POST /api/v2/teams/{team}/authentication-tokens · org:read · 3333+3 33 ++ 44 11111',
    'POST /api/v2/users/{user}/authentication-tokens · account:manage · ++++++ 33 3+ ++ 11111',
  ])
})
