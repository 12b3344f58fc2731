import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { callOf } from '../../../../../test/rig/route-calls.ts'
import { pingRoutes } from './ping.ts'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  expect(await rowsOf(pingRoutes, callOf)).toEqual(['GET /api/v2/ping · server:read · ++++++ ++ ++ ++ +++++'])
})
