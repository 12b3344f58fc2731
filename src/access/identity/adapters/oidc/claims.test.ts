import { expect, test } from 'vitest'
import { refusalsOf } from '../../refusals.ts'
import { OidcSettings } from '../../settings.ts'
import { type Claims, claimAt, identityOf } from './claims.ts'

function read(claims: Claims, changes: object = {}) {
  const settings = OidcSettings.parse({
    kind: 'oidc',
    id: 'entra',
    label: 'Entra ID',
    issuer: 'https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/v2.0',
    clientId: 'c',
    ...changes,
  })
  return identityOf(settings, { sub: 's', ...claims }, refusalsOf(settings))
}

test('a claim is found by its name or by a path, and not on the prototype', () => {
  const claims = { 'https://example.com/groups': ['a'], realm_access: { roles: ['b'] } }

  expect(claimAt(claims, 'https://example.com/groups')).toEqual(['a'])
  expect(claimAt(claims, 'realm_access.roles')).toEqual(['b'])
  for (const name of ['constructor', 'realm_access.constructor', 'realm_access.roles.x', 'nothing', ''])
    expect(claimAt(claims, name)).toBeUndefined()
})

test.each([
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  ['one', ['one']],
  [[], []],
  [null, []],
  [undefined, []],
])('groups %j are read as %j', (groups, expected) => {
  expect(read({ groups }).groups).toEqual(expected)
})

test.each([[[{ id: 'a' }]], [[1]], [{ a: 1 }], [true], [['a', null]]])('groups %j are refused', (groups) => {
  expect(() => read({ groups })).toThrow(/not a list of texts/)
})

test.each([
  { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example.com' } } },
  { hasgroups: true },
  { hasgroups: 'true' },
])('left-out groups are not taken for none: %j', (claims) => {
  expect(() => read(claims)).toThrow(/more of them than fit/)
  expect(read(claims, { groupsClaim: null }).groups).toEqual([])
})

test('app roles in place of groups work for a person in many groups', () => {
  const claims = { roles: ['Platform'], _claim_names: { groups: 'src1' } }

  expect(read(claims, { groupsClaim: 'roles' }).groups).toEqual(['Platform'])
})

test.each([
  [true, true],
  ['true', true],
  [1, true],
  [false, false],
  ['false', false],
  [undefined, false],
  [{}, false],
])('email_verified %j counts as %j', (value, isVerified) => {
  const claims = { email: 'a@example.com', email_verified: value }

  expect(read(claims).email).toEqual({ address: 'a@example.com', isVerified })
})

test('the claims that carry a person can be named', () => {
  const claims = { upn: 'a@example.com', mail: 'a@example.com', xms_edov: 1, full: 'A' }
  const changes = { loginClaim: 'upn', emailClaim: 'mail', emailVerifiedClaim: 'xms_edov', nameClaim: 'full' }

  expect(read(claims, changes)).toEqual({
    subject: 's',
    login: 'a@example.com',
    displayName: 'A',
    email: { address: 'a@example.com', isVerified: true },
    groups: [],
  })
})
