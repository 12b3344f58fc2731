import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { organizationRoutes } from './organizations.ts'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(organizationRoutes, async (face, { method, pattern }) => {
    const path = pattern.replace('/api/v2/', '').replace('{org}', 'default')
    // A call before may have deleted it.
    const headers = { ...face.root, 'content-type': 'application/json' }
    await face.send('/v1/orgs/default/restore', { method: 'POST', headers })
    const attributes = { name: face.fresh('org'), email: 'a@example.com' }
    if (method === 'POST') return tfcCall(method, path, { type: 'organizations', attributes })
    return tfcCall(
      method,
      path,
      method === 'PATCH' ? { type: 'organizations', attributes: { email: 'b@example.com' } } : undefined,
    )
  })
  expect(rows).toEqual([
    'DELETE /api/v2/organizations/{org} · org:delete · 3333+3 33 ++ 44 11111',
    'GET /api/v2/organizations · org:read · ++++++ ++ ++ ++ 11111',
    'GET /api/v2/organizations/{org} · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/organizations/{org}/capacity · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/organizations/{org}/entitlement-set · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/organizations/{org}/runs/queue · org:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/organizations/{org} · org:admin · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations · org:create · 333333 33 ++ 33 11111',
  ])
})
