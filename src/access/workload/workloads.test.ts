import { createServer } from 'node:http'
import { SignJWT, UnsecuredJWT, exportJWK, exportSPKI, generateKeyPair } from 'jose'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { tokenFleet } from '../../../test/support/tokens.ts'
import { createIdTokens } from './adapters/verify-id-tokens.ts'
import { WorkloadRuleInput } from './rule.ts'
import { createWorkloads } from './workloads.ts'

const publicUrl = 'https://taco.example.com'
const sub = 'repo:acme/infra:ref:refs/heads/main'
const now = () => Math.floor(Date.now() / 1000)

type Keys = Awaited<ReturnType<typeof generateKeyPair>>
let first: Keys
let second: Keys
beforeAll(async () => {
  first = await generateKeyPair('ES256', { extractable: true })
  second = await generateKeyPair('ES256', { extractable: true })
})

/** An issuer on loopback whose keys the test replaces. */
async function startIssuer() {
  const published = new Map<string, Keys>([['k1', first]])
  const asked: string[] = []
  const config: Record<string, string> = {}
  const server = createServer((req, res) => {
    asked.push(String(req.url))
    void (async () => {
      const keys = Array.from(published, async ([kid, { publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg: 'ES256',
      }))
      const found: Record<string, unknown> = {
        '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/keys`, ...config },
        '/keys': { keys: await Promise.all(keys) },
      }
      const answer = found[String(req.url)]
      res.statusCode = answer === undefined ? 404 : 200
      res.end(JSON.stringify(answer ?? {}))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return { url, published, asked, config }
}

async function open() {
  const issuer = await startIssuer()
  const fleet = tokenFleet()
  const tokens = fleet.server()
  const rule = (change: object = {}) =>
    WorkloadRuleInput.parse({
      name: 'ci',
      issuer: issuer.url,
      claims: { sub: 'repo:acme/infra:*' },
      roles: ['operator'],
      scope: { units: ['prod/**'] },
      ...change,
    })
  const rules = new Map([['acme', [rule()]]])
  const workloads = createWorkloads({
    clock: fleet.clock,
    tokens,
    idTokens: createIdTokens(),
    rules: (org) => rules.get(org) ?? [],
    publicUrl,
  })
  const signed = (claims: object = {}, keys = first, header: object = {}) =>
    new SignJWT({ iss: issuer.url, aud: publicUrl, sub, iat: now(), exp: now() + 300, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header })
      .sign(keys.privateKey)
  const exchange = (idToken: string, org = 'acme') => workloads.exchange({ org, idToken })
  return { ...fleet, issuer, tokens, rule, rules, signed, exchange }
}

test('a job gets a token with the roles and the scope of its rule, for a short time', async () => {
  const { exchange, signed, tokens, pass } = await open()

  const { token, rule, expiresAt } = await exchange(await signed())

  expect(token).toMatch(/^taco_wl_/)
  expect(rule).toBe('ci')
  expect(expiresAt - Date.now()).toBeLessThanOrEqual(900_000)
  expect(await tokens.check(token)).toMatchObject({
    kind: 'token',
    use: 'workload',
    org: 'acme',
    name: `ci (${sub})`,
    roles: ['operator'],
    scope: { units: ['prod/**'] },
  })
  pass(900_000)
  expect(await tokens.check(token)).toEqual({ kind: 'expired' })
})

test.each([
  ['of another job', { sub: 'repo:acme/app:ref:refs/heads/main' }, 'lets this job in'],
  ['for another service', { aud: 'https://other.example.com' }, 'lets this job in'],
  ['without an audience', { aud: undefined }, 'aud'],
  ['that has expired', { iat: now() - 600, exp: now() - 120 }, 'exp'],
  ['that is not valid yet', { nbf: now() + 600 }, 'nbf'],
  ['from the future', { iat: now() + 600 }, 'iat'],
  ['of yesterday', { iat: now() - 86_400, exp: now() + 600 }, 'iat'],
  ['that never expires', { exp: undefined }, 'exp'],
])('a token %s is refused', async (_, claims, message) => {
  const { exchange, signed } = await open()

  const refused = exchange(await signed(claims))

  await expect(refused).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await expect(refused).rejects.toThrow(message)
})

test('a clock that is a little off keeps nobody out', async () => {
  const { exchange, signed } = await open()

  await expect(exchange(await signed({ iat: now() + 30, nbf: now() + 30 }))).resolves.toBeDefined()
})

test('another key, no signature, and the public key as a shared secret are refused', async () => {
  const { exchange, signed, issuer } = await open()
  const claims = { iss: issuer.url, aud: publicUrl, sub, iat: now(), exp: now() + 300 }
  const publicText = new TextEncoder().encode(await exportSPKI(first.publicKey))
  const [head = '', , signature = ''] = (await signed()).split('.')
  const [, otherPayload = ''] = (await signed({ sub: 'repo:acme/infra:x' })).split('.')

  for (const forged of [
    await signed({}, second),
    new UnsecuredJWT(claims).encode(),
    await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(publicText),
    `${head}.${otherPayload}.${signature}`,
    'a.b.c',
    '',
    'x'.repeat(20_000),
  ])
    await expect(exchange(forged)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
})

test('a key in the header of the token is not believed', async () => {
  const { exchange, signed } = await open()
  const jwk = await exportJWK(second.publicKey)

  const forged = await signed({}, second, { jwk, kid: 'mine' })

  await expect(exchange(forged)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
})

test('an issuer that no rule of the organization names is never contacted', async () => {
  const { exchange, signed, issuer, rules, rule } = await open()
  rules.set('acme', [rule({ issuer: 'https://issuer.example.com' })])

  await expect(exchange(await signed())).rejects.toThrow('accepts identity tokens of this issuer')
  await expect(exchange(await signed(), 'other')).rejects.toThrow('accepts identity tokens of this issuer')
  expect(issuer.asked).toEqual([])
})

test('keys are kept, and a new key of the issuer is found', async () => {
  const { exchange, signed, issuer } = await open()
  for (let i = 0; i < 3; i++) await exchange(await signed())
  expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys'])

  // jose waits 30 s before it asks for keys again, so that nobody can make it ask all the time.
  const later = await open()
  later.issuer.published.clear()
  later.issuer.published.set('k2', second)
  await expect(later.exchange(await later.signed({}, second, { kid: 'k2' }))).resolves.toBeDefined()
  await expect(later.exchange(await later.signed())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
})

test.each([
  ['says that it is another', { issuer: 'https://evil.example.com' }],
  ['sends us to a place without TLS', { jwks_uri: 'http://keys.example.com/' }],
  ['sends us nowhere', { jwks_uri: 'nowhere' }],
])('an issuer that %s is refused, and asked again the next time', async (_, config) => {
  const { exchange, signed, issuer } = await open()
  Object.assign(issuer.config, config)
  await expect(exchange(await signed())).rejects.toMatchObject({ code: 'PROVIDER_REFUSED' })

  for (const name of Object.keys(config)) delete issuer.config[name]
  await expect(exchange(await signed())).resolves.toBeDefined()
})
