import { expect, test } from 'vitest'
import { type CallOf, rowsOf } from '../../../../../test/rig/players.ts'
import { tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { TFC_FAMILIES } from '../face.ts'

const client = {
  type: 'oauth-clients',
  attributes: {
    'service-provider': 'github',
    'api-url': 'https://api.github.com',
    'http-url': 'https://github.com',
    'oauth-token-string': 'secret',
  },
}

const call: CallOf = async (face, { method, pattern }) => {
  const ask = tfcAs(face, face.root)
  const hasBody = method === 'POST' || method === 'PATCH'
  const path = pattern.replace('/api/v2/', '').replace('{org}', 'default')
  if (pattern.includes('{org}')) return tfcCall(method, path, hasBody ? client : undefined)
  const made = (await ask('POST', 'organizations/default/oauth-clients', client)).data
  const {
    data: [token],
  } = made.relationships['oauth-tokens'] as { data: { id: string }[] }
  const filled = path.replace('{client}', made.id).replace('{token}', token?.id ?? '')
  if (path.endsWith('projects')) {
    const [project] = await face.deps.projects.list('default')
    return tfcCall(method, filled, [{ type: 'projects', id: project?.id ?? '' }])
  }
  const key = { type: 'oauth-tokens', attributes: { 'ssh-key': 'key' } }
  return tfcCall(method, filled, hasBody ? (path.includes('tokens') ? key : client) : undefined)
}

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  expect(await rowsOf(TFC_FAMILIES['oauth-clients'], call)).toEqual([
    'DELETE /api/v2/oauth-clients/{client} · policy:manage · 333++3 33 ++ 44 11111',
    'DELETE /api/v2/oauth-clients/{client}/relationships/projects · policy:manage · 333++3 33 ++ 44 11111',
    'DELETE /api/v2/oauth-tokens/{token} · policy:manage · 333++3 33 ++ 44 11111',
    'GET /api/v2/oauth-clients/{client} · policy:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/oauth-tokens/{token} · policy:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/organizations/{org}/oauth-clients · policy:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/organizations/{org}/oauth-tokens · policy:read · +++++3 ++ ++ 44 11111',
    'PATCH /api/v2/oauth-clients/{client} · policy:manage · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/oauth-tokens/{token} · policy:manage · 333++3 33 ++ 44 11111',
    'POST /api/v2/oauth-clients/{client}/relationships/projects · policy:manage · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/oauth-clients · policy:manage · 333++3 33 ++ 44 11111',
  ])
})
