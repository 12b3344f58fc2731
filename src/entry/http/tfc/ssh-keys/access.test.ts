import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { nameOf } from '../../../../../test/rig/route-calls.ts'
import { newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { sshKeyRoutes } from './ssh-keys.ts'

const type = 'ssh-keys'
const value = '-----BEGIN OPENSSH PRIVATE KEY-----'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(sshKeyRoutes, async (face, route) => {
    const attributes = { name: face.fresh('key'), value }
    if (nameOf(route).includes('{org}'))
      return tfcCall(
        route.method,
        'organizations/default/ssh-keys',
        route.method === 'POST' ? { type, attributes } : undefined,
      )
    const made = await tfcAs(face, face.root)('POST', 'organizations/default/ssh-keys', { type, attributes })
    if (nameOf(route).includes('{workspace}'))
      return tfcCall(route.method, `workspaces/${await newUnit(face)}/relationships/ssh-key`, {
        type: 'workspaces',
        attributes: { id: made.data.id },
      })
    const change = { type, attributes: { name: face.fresh('key') } }
    return tfcCall(route.method, `ssh-keys/${made.data.id}`, route.method === 'PATCH' ? change : undefined)
  })
  expect(rows).toEqual([
    'DELETE /api/v2/ssh-keys/{key} · org:admin · 333++3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/ssh-keys · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/ssh-keys/{key} · org:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/ssh-keys/{key} · org:admin · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/workspaces/{workspace}/relationships/ssh-key · unit:update · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/ssh-keys · org:admin · 333++3 33 ++ 44 11111',
  ])
})
