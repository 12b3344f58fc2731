import { expect, test } from 'vitest'
import { readProviderFile } from './settings-file.ts'

const okta = `kind: oidc
label: Okta
issuer: https://example.okta.com
clientId: taco
`
const read = (text: string, env: Record<string, string> = {}, id = 'okta') =>
  readProviderFile(text, 'okta.yaml', { id, env })

test('a secret comes from the file or from an environment variable', () => {
  const settings = { id: 'okta', kind: 'oidc', clientId: 'taco', clientSecret: 's3cret' }

  expect(read(`${okta}clientSecret: s3cret\n`)).toMatchObject(settings)
  expect(read(`id: okta\n${okta}clientSecretEnv: OKTA\n`, { OKTA: 's3cret' })).toMatchObject(settings)
  expect(read(okta)).not.toHaveProperty('clientSecret')
})

test.each([
  [`${okta}clientSecretEnv: OKTA\n`, 'okta.yaml:5:18: The environment variable OKTA is not set.'],
  [
    `${okta}clientSecret: s3cret\nclientSecretEnv: OKTA\n`,
    'okta.yaml:6:1: Give clientSecret or clientSecretEnv, not both.',
  ],
  [`id: other\n${okta}`, 'okta.yaml:1:5: The file is for the provider "other", not for "okta".'],
  [okta.replace('oidc', 'odic'), 'okta.yaml:1:7: The kind must be one of oidc, github, saml.'],
  [
    okta.replace('https', 'http'),
    'okta.yaml:3:9: The setting issuer must be a URL that starts with https://',
  ],
  [`${okta}clientID: x\n`, 'okta.yaml:5:11: The setting clientID is unknown.'],
  ['label: x\nkind: github\n', 'The setting clientSecret is missing.'],
  ['- kind: oidc\n', 'The kind must be one of'],
  ['', 'The kind must be one of'],
])('%j is refused with where, and without the secret', (text, message) => {
  expect(() => read(text)).toThrow(message)
  expect(() => read(text)).not.toThrow('s3cret')
})
