import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REDIRECT_URI, expectRefusal, openTestProvider } from '../../../../../test/contract/identity.ts'
import { type OidcPeer, startOidc } from '../../../../../test/peers/oidc.ts'

let peer: OidcPeer
beforeAll(async () => {
  peer = await startOidc({ users: { alice: { hd: 'example.com', email: 'alice@example.com' }, eve: {} } })
})
afterAll(() => peer.dispose())

const settings = (changes = {}) => ({
  kind: 'oidc',
  id: 'test',
  label: 'Test provider',
  issuer: peer.issuer,
  clientId: peer.clientId,
  clientSecret: peer.clientSecret,
  ...changes,
})

const callback = { redirectUri: REDIRECT_URI }

async function signIn(input: object, who: string, send?: typeof fetch) {
  const provider = await openTestProvider(input, send).provider
  const { url, keep } = await provider.begin(callback)
  return await provider.complete({ ...callback, keep, url: await peer.signIn(url, who) })
}

/** Signs in through a connection on which the ID token is exchanged for another, made from what it said. */
async function withToken(exchange: (claims: Record<string, unknown>) => Promise<string>, changes = {}) {
  return await signIn(settings(changes), 'alice', async (url, init) => {
    const answer = await fetch(url, init)
    if (!answer.url.endsWith('/token') || !answer.ok) return answer
    const body = (await answer.json()) as Record<string, string>
    const [, payload = ''] = (body['id_token'] ?? '').split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
    return Response.json({ ...body, id_token: await exchange(claims) })
  })
}

const now = () => Math.floor(Date.now() / 1000)
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const hmac = (secret: string) => new TextEncoder().encode(secret)

const forgeries: readonly [what: string, exchange: (claims: Record<string, unknown>) => Promise<string>][] = [
  ['has alg none', (claims) => Promise.resolve(`${encoded({ alg: 'none' })}.${encoded(claims)}.`)],
  ['is signed by another key', (claims) => peer.mint(claims, { isForged: true })],
  [
    'is signed with the client secret',
    (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(hmac(peer.clientSecret)),
  ],
  ['was changed', async (claims) => changed(await peer.mint(claims), { ...claims, sub: 'root' })],
  ['is for another audience', (claims) => peer.mint({ ...claims, aud: 'another-client' })],
  [
    'is for several audiences, and another client asked for it',
    (claims) => peer.mint({ ...claims, aud: [peer.clientId, 'other'], azp: 'other' }),
  ],
  ['is from another issuer', (claims) => peer.mint({ ...claims, iss: 'https://evil.example.com' })],
  ['has expired', (claims) => peer.mint({ ...claims, iat: now() - 7200, exp: now() - 3600 })],
  ['expired longer ago than clocks may differ', (claims) => peer.mint({ ...claims, exp: now() - 70 })],
  ['is not valid yet', (claims) => peer.mint({ ...claims, nbf: now() + 3600 })],
  ['has another nonce', (claims) => peer.mint({ ...claims, nonce: 'another' })],
  ['has no nonce', ({ nonce: _nonce, ...claims }) => peer.mint(claims)],
  ['has no subject', ({ sub: _sub, ...claims }) => peer.mint(claims)],
  ['is no token', () => Promise.resolve('nonsense')],
]

test.each(forgeries)('an ID token that %s is refused', async (_what, exchange) => {
  const error = await expectRefusal(withToken(exchange), 'UNAUTHENTICATED', 'invalid', settings())

  expect(error.message).toContain('Test provider')
})

/** The claims in place of its own, under its signature. */
function changed(token: string, claims: object): string {
  const [header, , signature] = token.split('.')
  return [header, encoded(claims), signature].join('.')
}

test('an honest token passes the same way, also if clocks differ a little', async () => {
  expect(await withToken((claims) => peer.mint(claims))).toMatchObject({ subject: 'alice' })
  expect(await withToken((claims) => peer.mint({ ...claims, exp: now() - 20 }))).toMatchObject({
    subject: 'alice',
  })
})

test('how much clocks may differ can be set', async () => {
  const late = withToken((claims) => peer.mint({ ...claims, exp: now() - 20 }), { clockSkewSeconds: 0 })

  await expectRefusal(late, 'UNAUTHENTICATED', 'invalid', settings())
})

test('an answer that names another issuer is refused (mix-up)', async () => {
  const provider = await openTestProvider(settings()).provider
  const { url, keep } = await provider.begin(callback)
  const answer = await peer.signIn(url, 'alice')
  answer.searchParams.set('iss', 'https://evil.example.com')

  await expectRefusal(
    provider.complete({ ...callback, keep, url: answer }),
    'UNAUTHENTICATED',
    'invalid',
    settings(),
  )
})

test('the redirect URI is the configured one, whatever the request says', async () => {
  const provider = await openTestProvider(settings()).provider
  const { url, keep } = await provider.begin(callback)
  const answer = await peer.signIn(url, 'alice')
  answer.hostname = 'evil.example.com'

  expect(new URL(url).searchParams.get('redirect_uri')).toBe(REDIRECT_URI)
  expect(await provider.complete({ ...callback, keep, url: answer })).toMatchObject({ subject: 'alice' })
})

test('an e-mail address that is not said to be verified does not count', async () => {
  const alice = await signIn(settings(), 'alice')

  expect(alice.email).toEqual({ address: 'alice@example.com', isVerified: false })
})

test('a hosted domain is asked for and required', async () => {
  const google = settings({
    authorizationParameters: { hd: 'example.com' },
    requiredClaims: { hd: ['example.com'] },
    groupsClaim: null,
  })
  const provider = await openTestProvider(google).provider

  expect(new URL((await provider.begin(callback)).url).searchParams.get('hd')).toBe('example.com')
  expect(await signIn(google, 'alice')).toMatchObject({ subject: 'alice', groups: [] })
  await expectRefusal(signIn(google, 'eve'), 'FORBIDDEN', 'not-admitted', settings())
})

test('groups that only an ID token has are not lost by a refresh without one', async () => {
  peer.setUser('carol', { groups: ['denied-in-production'] })
  const scopes = ['openid', 'groups']
  const withoutIdToken: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init)
    const isRefresh = init?.body instanceof URLSearchParams && init.body.has('refresh_token')
    if (!isRefresh) return answer
    const { id_token: _, ...rest } = (await answer.json()) as Record<string, unknown>
    return Response.json(rest)
  }
  const { provider } = openTestProvider(settings({ scopes }), withoutIdToken)
  const { url, keep } = await (await provider).begin(callback)
  const carol = await (await provider).complete({ ...callback, keep, url: await peer.signIn(url, 'carol') })

  expect(carol.groups).toEqual(['denied-in-production'])
  const again = (await provider).refresh?.(carol.refresh ?? '') ?? Promise.resolve()
  await expectRefusal(again, 'PROVIDER_REFUSED', 'misconfigured', settings())
})

test.each([
  ['client_secret_basic', undefined, undefined],
  ['client_secret_basic', undefined, ['client_secret_post', 'client_secret_basic']],
  ['client_secret_post', undefined, ['private_key_jwt', 'client_secret_post']],
  ['client_secret_post', 'client_secret_post', ['client_secret_basic']],
])(
  'the secret is sent as %s if %s is set and %j offered',
  async (expected, clientAuthentication, offered) => {
    const seen: string[] = []
    await signIn(settings({ clientAuthentication }), 'alice', async (url, init) => {
      const answer = await fetch(url, init)
      if (answer.url.endsWith('/openid-configuration')) {
        const metadata = (await answer.json()) as object
        return Response.json({ ...metadata, token_endpoint_auth_methods_supported: offered })
      }
      if (answer.url.endsWith('/token'))
        seen.push(
          new Headers(init?.headers).has('authorization') ? 'client_secret_basic' : 'client_secret_post',
        )
      return answer
    }).catch(() => undefined)

    expect(seen).toEqual([expected])
  },
)

test('a wrong client secret is found by a check, and named at sign-in', async () => {
  const wrong = settings({ clientSecret: 'not-the-secret' })
  const provider = await openTestProvider(wrong).provider

  const error = await expectRefusal(provider.check(callback), 'PROVIDER_REFUSED', 'misconfigured', wrong)
  expect(error.hint).toContain('clientSecret')
  await expectRefusal(signIn(wrong, 'alice'), 'PROVIDER_REFUSED', 'misconfigured', wrong)
})

test('an issuer that is none is found by a check', async () => {
  const provider = await openTestProvider(settings({ issuer: `${peer.issuer}/nothing-here` })).provider

  await expectRefusal(provider.check(callback), 'PROVIDER_REFUSED', 'misconfigured', settings())
  await expectRefusal(provider.begin(callback), 'PROVIDER_REFUSED', 'misconfigured', settings())
})

test('an issuer under another name is refused', async () => {
  const other = peer.issuer.replace('127.0.0.1', 'localhost')
  const provider = await openTestProvider(settings({ issuer: other })).provider

  const error = await expectRefusal(provider.check(callback), 'PROVIDER_REFUSED', 'misconfigured', settings())
  expect(error.message).toContain(other)
})

test('a check warns of scopes and claims that the provider does not list', async () => {
  const provider = await openTestProvider(settings({ scopes: ['openid', 'teams'], groupsClaim: 'teams' }))
    .provider

  const { warnings } = await provider.check(callback)

  expect(warnings).toEqual([
    expect.stringContaining('scopes: teams'),
    expect.stringContaining('the claim "teams"'),
  ])
})
