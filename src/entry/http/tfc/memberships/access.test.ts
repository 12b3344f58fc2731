import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { newMembership } from '../../../../../test/rig/tfc-people.ts'
import { membershipRoutes } from './memberships.ts'

const of = 'organizations/default/organization-memberships'
const type = 'organization-memberships'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(membershipRoutes, async (face, { method, pattern }) => {
    const email = `${face.fresh('someone')}@example.com`
    if (pattern.includes('{org}'))
      return tfcCall(method, of, method === 'POST' ? { type, attributes: { email } } : undefined)
    return tfcCall(method, `${type}/${(await newMembership(face)).id}`)
  })
  expect(rows).toEqual([
    'DELETE /api/v2/organization-memberships/{membership} · member:manage · 3333+3 33 ++ 44 11111',
    'GET /api/v2/organization-memberships/{membership} · access:read · 3333++ 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/organization-memberships · access:read · 3333++ 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/organization-memberships · member:manage · 3333+3 33 ++ 44 11111',
  ])
})
