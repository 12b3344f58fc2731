import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { linkTo, newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { runTriggerRoutes } from './run-triggers.ts'

const type = 'run-triggers'
const on = (source: string) => ({ type, relationships: { sourceable: linkTo('workspaces', source) } })

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(runTriggerRoutes, async (face, { method, pattern }) => {
    const [unit, source] = [await newUnit(face), await newUnit(face)]
    const path = `workspaces/${unit}/run-triggers`
    if (pattern.includes('{workspace}'))
      return tfcCall(method, path, method === 'POST' ? on(source) : undefined)
    const { id } = (await tfcAs(face, face.root)('POST', path, on(source))).data
    return tfcCall(method, `run-triggers/${id}`)
  })
  expect(rows).toEqual([
    'DELETE /api/v2/run-triggers/{trigger} · graph:write · 33+++3 +3 ++ 44 11111',
    'GET /api/v2/run-triggers/{trigger} · graph:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/run-triggers · graph:read · ++++++ ++ ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/run-triggers · graph:write · 33+++3 +3 ++ 44 11111',
  ])
})
