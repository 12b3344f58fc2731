import { afterAll, beforeAll, expect, test } from 'vitest'
import { REDIRECT_URI, expectRefusal, openTestProvider } from '../../../../../test/contract/identity.ts'
import { type SamlAnswer, type SamlPeer, rsaCertificate, startSaml } from '../../../../../test/peers/saml.ts'

let peer: SamlPeer
beforeAll(async () => {
  peer = await startSaml()
  peer.setUser('alice', { attributes: { groups: ['platform'] } })
})
afterAll(() => peer.dispose())

const callback = { redirectUri: REDIRECT_URI, url: new URL(REDIRECT_URI) }
const settings = (changes = {}) => ({
  kind: 'saml',
  id: 'test',
  label: 'Test provider',
  metadataUrl: peer.metadataUrl,
  groupsAttribute: 'groups',
  ...changes,
})

interface Attempt {
  readonly changes?: object
  readonly who?: string
  readonly answer?: SamlAnswer
  /** What happens to the XML on the way. */
  readonly rewrite?: (xml: string) => string
}

async function signIn({ changes = {}, who = 'alice', answer = {}, rewrite }: Attempt = {}) {
  const provider = await openTestProvider(settings(changes)).provider
  const { url, keep } = await provider.begin(callback)
  const form = await peer.signIn(url, who, answer)
  const xml = Buffer.from(form.get('SAMLResponse') ?? '', 'base64').toString()
  if (rewrite !== undefined) {
    expect(rewrite(xml)).not.toBe(xml)
    form.set('SAMLResponse', Buffer.from(rewrite(xml)).toString('base64'))
  }
  return await provider.complete({ ...callback, keep, form })
}

const minutes = (count: number) => new Date(Date.now() + count * 60_000)

const NOT_SIGNED = 'its assertion is not signed by a key of the provider'
const NOT_NOW = 'it has expired, or does not answer this sign-in'

const wrong: readonly [what: string, answer: SamlAnswer, why: string][] = [
  ['is not signed', { isUnsigned: true }, NOT_SIGNED],
  ['has a signed response only', { isUnsigned: true, isResponseSigned: true }, NOT_SIGNED],
  ['is signed by another key', { isForged: true }, NOT_SIGNED],
  ['is signed with SHA-1', { isSha1: true }, 'it is signed with an outdated algorithm'],
  ['is for another audience', { audience: 'https://other.example.com' }, 'it is meant for another service'],
  [
    'is for another address',
    { recipient: 'https://other.example.com/callback' },
    'it is meant for another address',
  ],
  ['is from another issuer', { issuer: 'https://other.example.com' }, 'it is from another issuer'],
  ['has expired', { notBefore: minutes(-20), notOnOrAfter: minutes(-10) }, NOT_NOW],
  ['has a confirmation that expired', { confirmedUntil: minutes(-10).toISOString() }, NOT_NOW],
  ['has a confirmation without an end', { confirmedUntil: null }, 'it cannot be read'],
  ['has a confirmation whose end is no time', { confirmedUntil: 'never' }, 'it cannot be read'],
  ['is not valid yet', { notBefore: minutes(10) }, 'it is not valid yet'],
  ['is confirmed for another request', { confirmedInResponseTo: '_another' }, NOT_NOW],
  ['is not confirmed for a request', { confirmedInResponseTo: null }, 'it does not answer this sign-in'],
]

test.each(wrong)('an assertion that %s is refused', async (_what, answer, why) => {
  const error = await expectRefusal(signIn({ answer }), 'UNAUTHENTICATED', 'invalid', settings())

  expect(error.message).toContain(`The answer of Test provider is not valid: ${why}`)
})

const SIGNATURE = /<ds:Signature.*<\/ds:Signature>/s
const ASSERTION = /<saml:Assertion .*<\/saml:Assertion>/s
const part = (xml: string, pattern: RegExp) => pattern.exec(xml)?.[0] ?? ''
/** The assertion of an attacker: another person, without a signature. */
const evilOf = (xml: string, id = '_evil') =>
  part(xml, ASSERTION)
    .replace(SIGNATURE, '')
    .replace(/ID="_assertion-\d+"/, `ID="${id}"`)
    .replace('>alice<', '>root<')

const rewrites: readonly [what: string, rewrite: (xml: string) => string, why?: string][] = [
  ['another person is named', (xml) => xml.replace('>alice<', '>root<')],
  ['a group is added', (xml) => xml.replace('>platform<', '>administrators<')],
  ['the signature is taken off', (xml) => xml.replace(SIGNATURE, '')],
  ['a forged assertion precedes the signed one', (xml) => xml.replace(ASSERTION, (own) => evilOf(xml) + own)],
  ['a forged assertion follows the signed one', (xml) => xml.replace(ASSERTION, (own) => own + evilOf(xml))],
  [
    'the signed assertion is wrapped into extensions, with a forged one in its place',
    (xml) => xml.replace(ASSERTION, (own) => `<samlp:Extensions>${own}</samlp:Extensions>${evilOf(xml)}`),
  ],
  [
    'a forged assertion contains the signed one',
    (xml) =>
      xml.replace(ASSERTION, (own) => evilOf(xml).replace('</saml:Assertion>', `${own}</saml:Assertion>`)),
  ],
  [
    'a forged assertion with the id of the signed one takes its signature',
    (xml) => {
      const own = part(xml, ASSERTION)
      const id = /ID="(_assertion-\d+)"/.exec(own)?.[1] ?? ''
      const wrapped = part(own, SIGNATURE).replace(
        '</ds:Signature>',
        `<ds:Object>${own.replace(SIGNATURE, '')}</ds:Object></ds:Signature>`,
      )
      return xml.replace(ASSERTION, evilOf(xml, id).replace('<saml:Subject>', `${wrapped}<saml:Subject>`))
    },
  ],
  [
    'a forged assertion takes a signature that refers to the signed one',
    (xml) => {
      const own = part(xml, ASSERTION)
      const wrapped = part(own, SIGNATURE).replace(
        '</ds:Signature>',
        `<ds:Object>${own.replace(SIGNATURE, '')}</ds:Object></ds:Signature>`,
      )
      return xml.replace(ASSERTION, evilOf(xml).replace('<saml:Subject>', `${wrapped}<saml:Subject>`))
    },
  ],
  [
    'a second digest is added',
    (xml) => xml.replace(/<ds:DigestValue>[^<]*<\/ds:DigestValue>/, (own) => own + own),
  ],
  [
    'a comment hides in the digest',
    (xml) => xml.replace('>alice<', '>root<').replace(/<ds:DigestValue>/, '<ds:DigestValue><!--AAAA-->'),
  ],
  [
    'a document type is declared',
    (xml) => `<!DOCTYPE r [<!ENTITY e "x">]>${xml}`,
    'it is too large or not plain SAML',
  ],
  ['it is cut off', (xml) => xml.slice(0, xml.length / 2), 'it is not a SAML response'],
]

test.each(rewrites)('a response is refused if %s', async (_what, rewrite, why = NOT_SIGNED) => {
  const error = await expectRefusal(signIn({ rewrite }), 'UNAUTHENTICATED', 'invalid', settings())
  expect(error.message).toContain(`The answer of Test provider is not valid: ${why}`)
})

test.each(['nonsense', '<a/>', '<Response/>', '\u0000', '<!-- -->'])('%j is refused', async (text) => {
  await expectRefusal(signIn({ rewrite: () => text }), 'UNAUTHENTICATED', 'invalid', settings())
})

test('a comment does not cut a name short', async () => {
  const rewrite = (xml: string) => xml.replace('>alice.evil<', '>alice<!-- -->.evil<')

  expect(await signIn({ who: 'alice.evil', rewrite })).toMatchObject({ subject: 'alice.evil' })
})

test('the honest answer passes the same way', async () => {
  expect(await signIn()).toEqual({ subject: 'alice', groups: ['platform'] })
})

test('a signed response is accepted, and required if so set', async () => {
  const both = { isResponseSigned: true }
  const changes = { wantResponseSigned: true }

  expect(await signIn({ answer: both })).toMatchObject({ subject: 'alice' })
  expect(await signIn({ answer: both, changes })).toMatchObject({ subject: 'alice' })
  await expectRefusal(signIn({ changes }), 'UNAUTHENTICATED', 'invalid', settings())
})

test('an encrypted assertion is decrypted, and must be signed within', async () => {
  const { key, cert } = rsaCertificate()
  const changes = { decryptionKey: key, decryptionCertificate: cert }

  expect(await signIn({ changes, answer: { encryptTo: cert } })).toMatchObject({ subject: 'alice' })
  const unsigned = signIn({ changes, answer: { encryptTo: cert, isUnsigned: true } })
  await expectRefusal(unsigned, 'UNAUTHENTICATED', 'invalid', settings(changes))
  const error = await expectRefusal(
    signIn({ answer: { encryptTo: cert } }),
    'UNAUTHENTICATED',
    'invalid',
    settings(),
  )
  expect(error.hint).toContain('decryptionKey')
})

test('requests are signed if there is a key', async () => {
  const { key, cert } = rsaCertificate()
  const provider = await openTestProvider(settings({ signingKey: key, signingCertificate: cert })).provider

  const asked = new URL((await provider.begin(callback)).url).searchParams

  expect(asked.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
  expect(asked.get('Signature')).not.toBe('')
})

test('the metadata of OpenTaco says where answers go, and has its certificates but no keys', async () => {
  const signing = rsaCertificate()
  const decryption = rsaCertificate()
  const changes = {
    signingKey: signing.key,
    signingCertificate: signing.cert,
    decryptionKey: decryption.key,
    decryptionCertificate: decryption.cert,
  }
  const provider = await openTestProvider(settings(changes)).provider

  const xml = (await provider.metadata?.(callback)) ?? ''

  expect(xml).toContain('entityID="http://127.0.0.1:9/sign-in/test/metadata"')
  expect(xml).toContain(`Location="${REDIRECT_URI}"`)
  expect(xml).toContain('WantAssertionsSigned="true"')
  const bare = (pem: string) => pem.replaceAll(/-----.*-----|\s/g, '')
  expect(xml.replaceAll(/\s/g, '')).toContain(bare(signing.cert))
  expect(xml.replaceAll(/\s/g, '')).toContain(bare(decryption.cert))
  for (const { key } of [signing, decryption]) expect(xml.replaceAll(/\s/g, '')).not.toContain(bare(key))
})

test('without metadata, the three values from it suffice', async () => {
  const changes = {
    metadataUrl: undefined,
    issuer: peer.entityId,
    signInUrl: peer.signInUrl,
    certificates: [rsaCertificate().cert, peer.certificate],
  }

  expect(await signIn({ changes })).toMatchObject({ subject: 'alice' })
})

test('metadata can be pasted', async () => {
  const metadataXml = await (await fetch(peer.metadataUrl)).text()

  expect(await signIn({ changes: { metadataUrl: undefined, metadataXml } })).toMatchObject({
    subject: 'alice',
  })
})

test('an identifier that changes with every sign-in is refused, unless an attribute takes its place', async () => {
  const answer = { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }
  const error = await expectRefusal(signIn({ answer }), 'PROVIDER_REFUSED', 'misconfigured', settings())
  expect(error.hint).toContain('subjectAttribute')

  const withId = { ...answer, attributes: { id: '42' } }
  expect(await signIn({ answer: withId, changes: { subjectAttribute: 'id' } })).toMatchObject({
    subject: '42',
  })
  const without = signIn({ changes: { subjectAttribute: 'id' } })
  await expectRefusal(without, 'PROVIDER_REFUSED', 'misconfigured', settings())
})

test('left-out groups are not taken for none', async () => {
  const answer = {
    attributes: { 'http://schemas.microsoft.com/claims/groups.link': 'https://graph.example.com' },
  }

  await expectRefusal(signIn({ answer }), 'PROVIDER_REFUSED', 'misconfigured', settings())
})

test('an address counts as verified only if the settings say so', async () => {
  const answer = { attributes: { mail: 'alice@example.com' } }
  const changes = { emailAttribute: 'mail' }

  expect((await signIn({ answer, changes })).email).toEqual({
    address: 'alice@example.com',
    isVerified: false,
  })
})

test.each([
  [['Requester', 'InvalidNameIDPolicy'], 'nameIdFormat'],
  [['Requester', 'RequestUnsupported'], 'settings'],
])('a refusal %j of the provider is for the administrator', async (status, hint) => {
  const error = await expectRefusal(
    signIn({ answer: { status } }),
    'PROVIDER_REFUSED',
    'misconfigured',
    settings(),
  )

  expect(error.hint).toContain(hint)
})

test.each([
  ['there is no metadata', { metadataUrl: 'PEER/nothing' }],
  ['the page is no metadata', { metadataUrl: 'PEER/sso' }],
])('a check finds that %s', async (_what, { metadataUrl }) => {
  const there = { metadataUrl: metadataUrl.replace('PEER', peer.url) }
  const provider = await openTestProvider(settings(there)).provider

  await expectRefusal(provider.check(callback), 'PROVIDER_REFUSED', 'misconfigured', settings())
})

test.each([
  ['<x/>', /not the SAML metadata/],
  ['no xml', /not the SAML metadata/],
  [(xml: string) => xml.replace('HTTP-Redirect', 'HTTP-POST'), /HTTP-Redirect/],
  [(xml: string) => xml.replace(/(X509Certificate>)[^<]+/g, '$1AAAA'), /certificate/],
  [
    (xml: string) =>
      xml.replace('<EntityDescriptor ', '<EntityDescriptor validUntil="2020-01-01T00:00:00Z" '),
    /expired/,
  ],
])('unusable metadata is refused and says why (%#)', async (change, message) => {
  const good = await (await fetch(peer.metadataUrl)).text()
  const metadataXml = typeof change === 'string' ? change : change(good)
  const provider = await openTestProvider(settings({ metadataUrl: undefined, metadataXml })).provider

  const error = await expectRefusal(provider.check(callback), 'PROVIDER_REFUSED', 'misconfigured', settings())
  expect(error.message).toMatch(message)
})

test('a check warns of a certificate that expires soon', async () => {
  const changes = {
    metadataUrl: undefined,
    issuer: peer.entityId,
    signInUrl: peer.signInUrl,
    certificates: [rsaCertificate(minutes(60)).cert],
  }
  const provider = await openTestProvider(settings(changes)).provider

  expect((await provider.check(callback)).warnings).toEqual([expect.stringContaining('expires on')])
})
