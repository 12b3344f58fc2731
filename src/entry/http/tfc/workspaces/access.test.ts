import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { TFC_FAMILIES } from '../face.ts'

const bodies: Readonly<Record<string, readonly { type: string; id?: string; attributes?: object }[]>> = {
  'tag-bindings': [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }],
  'relationships/tags': [{ type: 'tags', attributes: { name: 'net' } }],
  'relationships/remote-state-consumers': [],
}

test('exactly those whom the table names are let in', { timeout: 120_000 }, async () => {
  const rows = await rowsOf(TFC_FAMILIES.workspaces, async (face, { method, pattern }) => {
    const path = pattern.replace('/api/v2/', '')
    const named = () => ({ type: 'workspaces', attributes: { name: face.fresh('unit') } })
    if (path === 'organizations/{org}/workspaces')
      return tfcCall(method, 'organizations/default/workspaces', method === 'POST' ? named() : undefined)
    const name = face.fresh('unit')
    const id = await newUnit(face, name)
    const at = path.replace('{org}', 'default').replace('{name}', name).replace('{workspace}', id)
    if (path.endsWith('unlock')) await tfcAs(face, face.root)('POST', `workspaces/${id}/actions/lock`)
    const list = Object.entries(bodies).find(([end]) => path.endsWith(end))?.[1]
    if (list !== undefined && method !== 'GET') return tfcCall(method, at, list as never)
    return tfcCall(
      method,
      at,
      method !== 'PATCH'
        ? undefined
        : {
            type: 'workspaces',
            attributes: { description: 'new' },
          },
    )
  })
  expect(rows).toEqual([
    'DELETE /api/v2/organizations/{org}/workspaces/{name} · unit:delete · 333++3 33 ++ 44 11111',
    'DELETE /api/v2/workspaces/{workspace} · unit:delete · 333++3 33 ++ 44 11111',
    'DELETE /api/v2/workspaces/{workspace}/relationships/remote-state-consumers · unit:update · 333++3 33 ++ 44 11111',
    'DELETE /api/v2/workspaces/{workspace}/relationships/tags · unit:update · 333++3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/workspaces · unit:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/organizations/{org}/workspaces/{name} · unit:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace} · unit:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/effective-tag-bindings · unit:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/relationships/remote-state-consumers · unit:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/relationships/tags · unit:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/resources · state:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/tag-bindings · unit:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/organizations/{org}/workspaces/{name} · unit:update · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/workspaces/{workspace} · unit:update · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/workspaces/{workspace}/relationships/remote-state-consumers · unit:update · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/workspaces/{workspace}/relationships/tag-bindings · unit:update · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/workspaces/{workspace}/tag-bindings · unit:update · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/workspaces · unit:create · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/workspaces/{name}/actions/safe-delete · unit:delete · 333++3 33 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/actions/force-unlock · lock · 333++3 33 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/actions/lock · lock · 3++++3 +3 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/actions/safe-delete · unit:delete · 333++3 33 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/actions/unlock · lock · 3++++3 +3 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/relationships/remote-state-consumers · unit:update · 333++3 33 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/relationships/tags · unit:update · 333++3 33 ++ 44 11111',
  ])
})
