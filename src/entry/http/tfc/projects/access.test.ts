import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { projectRoutes } from './projects.ts'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(projectRoutes, async (face, { method, pattern }) => {
    const named = () => ({ type: 'projects', attributes: { name: face.fresh('project') } })
    const path = pattern.replace('/api/v2/', '')
    if (path.includes('{org}'))
      return tfcCall(method, path.replace('{org}', 'default'), method === 'POST' ? named() : undefined)
    const { id } = (await tfcAs(face, face.root)('POST', 'organizations/default/projects', named())).data
    const bindings = [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }]
    const body = method !== 'PATCH' ? undefined : path.endsWith('tag-bindings') ? bindings : named()
    return tfcCall(method, path.replace('{project}', id), body)
  })
  expect(rows).toEqual([
    'DELETE /api/v2/projects/{project} · org:admin · 333++3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/projects · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/projects/{project} · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/projects/{project}/effective-tag-bindings · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/projects/{project}/tag-bindings · org:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/projects/{project} · org:admin · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/projects/{project}/relationships/tag-bindings · org:admin · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/projects/{project}/tag-bindings · org:admin · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/projects · org:admin · 333++3 33 ++ 44 11111',
  ])
})
