import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { tagId } from './tag-id.ts'
import { tagRoutes } from './tags.ts'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(tagRoutes, async (face, { method, pattern }) => {
    const path = pattern.replace('/api/v2/', '').replace('{org}', 'default')
    const id = tagId('default', 'net')
    if (pattern.includes('{tag}'))
      return tfcCall(method, path.replace('{tag}', id), [{ type: 'workspaces', id: await newUnit(face) }])
    if (path.endsWith('/tags'))
      return tfcCall(method, path, method === 'GET' ? undefined : [{ type: 'tags', id }])
    const key = { type: 'reserved-tag-keys', attributes: { key: face.fresh('key') } }
    if (path.endsWith('reserved-tag-keys')) return tfcCall(method, path, method === 'GET' ? undefined : key)
    const made = await tfcAs(face, face.root)('POST', 'organizations/default/reserved-tag-keys', key)
    return tfcCall(method, path.replace('{key}', made.data.id), method === 'PATCH' ? key : undefined)
  })
  expect(rows).toEqual([
    'DELETE /api/v2/organizations/{org}/tags · org:admin · 333++3 33 ++ 44 11111',
    'DELETE /api/v2/reserved-tag-keys/{key} · org:admin · 333++3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/reserved-tag-keys · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/organizations/{org}/tags · unit:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/reserved-tag-keys/{key} · org:admin · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/reserved-tag-keys · org:admin · 333++3 33 ++ 44 11111',
    'POST /api/v2/tags/{tag}/relationships/workspaces · unit:update · 333++3 33 ++ 44 11111',
  ])
})
