import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isTacoError } from '../../base/errors.ts'
import { parseProviderSettings } from './settings.ts'

const oidc = {
  kind: 'oidc',
  id: 'okta',
  label: 'Okta',
  issuer: 'https://example.okta.com',
  clientId: 'taco',
  clientSecret: 'do-not-show',
}
const github = { kind: 'github', id: 'github', label: 'GitHub', clientId: 'c', clientSecret: 'do-not-show' }
const saml = { kind: 'saml', id: 'saml', label: 'SAML', metadataUrl: 'https://idp.example.com/metadata' }

test('the least that each kind needs is accepted, and the rest has defaults', () => {
  expect(parseProviderSettings(oidc)).toMatchObject({
    scopes: ['openid', 'profile', 'email'],
    groupsClaim: 'groups',
    clockSkewSeconds: 60,
  })
  expect(parseProviderSettings(github)).toMatchObject({ url: 'https://github.com' })
  expect(parseProviderSettings(saml)).toMatchObject({ wantResponseSigned: false, isEmailVerified: false })
})

test('every example in docs/access.md is accepted', async () => {
  const page = await readFile(new URL('../../../docs/access.md', import.meta.url), 'utf8')
  const [, section = ''] = /^## Sign-in providers$(.*?)^## /ms.exec(page) ?? []
  const examples = [...section.matchAll(/```json\n(.*?)```/gs)].map(
    ([, text = '']) => JSON.parse(text) as unknown,
  )

  expect(examples.map((example) => parseProviderSettings(example).kind)).toEqual([
    ...Array.from({ length: 7 }, () => 'oidc'),
    'github',
    'saml',
  ])
})

const faults: readonly [what: string, input: unknown, field: string][] = [
  ['no kind', { ...oidc, kind: undefined }, 'kind'],
  ['unknown kind', { ...oidc, kind: 'ldap' }, 'kind'],
  ['an id with a slash', { ...oidc, id: 'a/b' }, 'id'],
  ['an id that is too long', { ...oidc, id: 'a'.repeat(41) }, 'id'],
  ['an empty label', { ...oidc, label: ' ' }, 'label'],
  ['a missing client id', { ...oidc, clientId: undefined }, 'clientId'],
  ['a field that does not exist', { ...oidc, clientSecrt: 'do-not-show' }, 'clientSecrt'],
  ['a plain-http issuer', { ...oidc, issuer: 'http://idp.example.com' }, 'issuer'],
  ['a host that only begins like localhost', { ...oidc, issuer: 'http://localhost.example.com' }, 'issuer'],
  ['a password in the issuer', { ...oidc, issuer: 'https://a:do-not-show@idp.example.com' }, 'issuer'],
  [
    'an issuer for all customers',
    { ...oidc, issuer: 'https://login.microsoftonline.com/common/v2.0' },
    'issuer',
  ],
  [
    'a parameter that OpenTaco sets',
    { ...oidc, authorizationParameters: { state: 'x' } },
    'authorizationParameters.state',
  ],
  ['too much clock skew', { ...oidc, clockSkewSeconds: 3600 }, 'clockSkewSeconds'],
  ['GitHub without a secret', { ...github, clientSecret: undefined }, 'clientSecret'],
  ['an empty list of organizations', { ...github, allowedOrganizations: [] }, 'allowedOrganizations'],
  ['SAML without a provider', { ...saml, metadataUrl: undefined }, 'signInUrl'],
  ['SAML with metadata twice', { ...saml, metadataXml: '<x/>' }, 'metadataXml'],
  ['SAML with metadata and a certificate', { ...saml, certificates: ['do-not-show'] }, 'certificates.0'],
  ['a key that is none', { ...saml, signingKey: 'do-not-show' }, 'signingKey'],
]

test.each(faults)('%s is refused, and the field is named', (_what, input, field) => {
  const error = refusal(() => parseProviderSettings(input))

  expect(error.code).toBe('BAD_REQUEST')
  expect(error.facts['field']).toBe(field)
  expect(error.message).toContain(field)
  expect(JSON.stringify({ ...error, message: error.message })).not.toContain('do-not-show')
})

function refusal(act: () => unknown) {
  try {
    act()
  } catch (error) {
    if (isTacoError(error)) return error
    throw error
  }
  throw new Error('it was accepted')
}
