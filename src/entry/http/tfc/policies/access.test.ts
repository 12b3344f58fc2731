import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { policyRoutes } from './policies.ts'

const type = 'policies'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(policyRoutes, async (face, { method, pattern }) => {
    const body = { type, attributes: { name: face.fresh('policy') } }
    const data = ['POST', 'PATCH'].includes(method) ? body : undefined
    const of = 'organizations/default/policies'
    if (pattern.includes('{org}')) return tfcCall(method, of, data)
    const { id } = (await tfcAs(face, face.root)('POST', of, body)).data
    const path = `/api/v2/policies/${id}/upload`
    if (pattern.endsWith('download')) await face.send(path, { method: 'PUT', headers: face.root, body: 'x' })
    if (method === 'PUT') return { path, method, body: 'x' }
    return tfcCall(method, pattern.replace('/api/v2/', '').replace('{policy}', id), data)
  })
  expect(rows).toEqual([
    'DELETE /api/v2/policies/{policy} · policy:manage · 333++3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/policies · policy:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/policies/{policy} · policy:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/policies/{policy}/download · policy:read · +++++3 ++ ++ 44 11111',
    'PATCH /api/v2/policies/{policy} · policy:manage · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/policies · policy:manage · 333++3 33 ++ 44 11111',
    'PUT /api/v2/policies/{policy}/upload · policy:manage · 333++3 33 ++ 44 11111',
  ])
})
