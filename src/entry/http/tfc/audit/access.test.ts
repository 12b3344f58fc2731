import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { auditRoutes } from './audit.ts'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(auditRoutes, (_, { method, pattern }) => {
    const path = pattern.replace('/api/v2/', '').replace('{org}', 'default')
    const named = path === 'organization/audit-trail' ? `${path}?org=default` : path
    return Promise.resolve(tfcCall(method, named, method === 'PATCH' ? { attributes: {} } : undefined))
  })
  expect(rows).toEqual([
    'GET /api/v2/organization/audit-trail · audit:read · 3333++ 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/audit-configuration · org:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/organizations/{org}/audit-configuration · org:admin · 333++3 33 ++ 44 11111',
  ])
})
