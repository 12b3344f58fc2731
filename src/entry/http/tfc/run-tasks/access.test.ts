import { expect, test } from 'vitest'
import { type CallOf, rowsOf } from '../../../../../test/rig/players.ts'
import { linkTo, newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { TFC_FAMILIES } from '../face.ts'

const call: CallOf = async (face, { method, pattern }) => {
  const ask = tfcAs(face, face.root)
  const task = () => ({
    type: 'tasks',
    attributes: { name: face.fresh('task'), url: 'https://example.com', category: 'task' },
  })
  const of = 'organizations/default/tasks'
  const hasBody = method === 'POST' || method === 'PATCH'
  if (pattern.includes('{org}')) return tfcCall(method, of, hasBody ? task() : undefined)
  const { id } = (await ask('POST', of, task())).data
  const path = pattern.replace('/api/v2/', '').replace('{task}', id)
  if (!path.includes('{workspace}')) return tfcCall(method, path, hasBody ? task() : undefined)
  const workspace = await newUnit(face)
  const attributes = { 'enforcement-level': 'advisory' }
  const data = { type: 'workspace-tasks', attributes, relationships: { task: linkTo('tasks', id) } }
  const filled = path.replace('{workspace}', workspace)
  if (!path.includes('{attached}')) return tfcCall(method, filled, hasBody ? data : undefined)
  const made = (await ask('POST', `workspaces/${workspace}/tasks`, data)).data
  return tfcCall(method, filled.replace('{attached}', made.id), hasBody ? data : undefined)
}

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  expect(await rowsOf(TFC_FAMILIES['run-tasks'], call)).toEqual([
    'DELETE /api/v2/tasks/{task} · policy:manage · 333++3 33 ++ 44 11111',
    'DELETE /api/v2/workspaces/{workspace}/tasks/{attached} · unit:update · 333++3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/tasks · policy:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/tasks/{task} · policy:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/tasks · unit:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/tasks/{attached} · unit:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/tasks/{task} · policy:manage · 333++3 33 ++ 44 11111',
    'PATCH /api/v2/workspaces/{workspace}/tasks/{attached} · unit:update · 333++3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/tasks · policy:manage · 333++3 33 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/tasks · unit:update · 333++3 33 ++ 44 11111',
  ])
})
