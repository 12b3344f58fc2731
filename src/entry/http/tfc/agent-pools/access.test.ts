import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { agentPoolRoutes } from './agent-pools.ts'

const type = 'agent-pools'
const of = 'organizations/default/agent-pools'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(agentPoolRoutes, async (face, { method, pattern }) => {
    const data =
      method === 'GET' || method === 'DELETE' ? undefined : { type, attributes: { name: face.fresh('pool') } }
    if (pattern.includes('{org}')) return tfcCall(method, of, data)
    const { id } = (
      await tfcAs(face, face.root)('POST', of, { type, attributes: { name: face.fresh('pool') } })
    ).data
    return tfcCall(method, pattern.replace('/api/v2/', '').replace('{pool}', id), data)
  })
  expect(rows).toEqual([
    'DELETE /api/v2/agent-pools/{pool} · org:admin · 333++3 33 ++ 44 11111',
    'GET /api/v2/agent-pools/{pool} · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/agent-pools/{pool}/agents · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/organizations/{org}/agent-pools · org:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/agent-pools/{pool} · org:admin · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/agent-pools · org:admin · 333++3 33 ++ 44 11111',
  ])
})
