import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { accountRoutes } from './account.ts'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(accountRoutes, (_, { method, pattern }, person) =>
    Promise.resolve(
      tfcCall(
        method,
        pattern.replace('/api/v2/', '').replace('{user}', person.id),
        method === 'PATCH' ? { type: 'users', attributes: { username: person.login } } : undefined,
      ),
    ),
  )
  expect(rows).toEqual([
    'GET /api/v2/account/details · server:read · ++++++ ++ ++ ++ 11111',
    'GET /api/v2/users/{user} · server:read · ++++++ ++ ++ ++ 11111',
    'PATCH /api/v2/account/update · account:manage · ++++++ 33 ++ ++ 11111',
  ])
})
