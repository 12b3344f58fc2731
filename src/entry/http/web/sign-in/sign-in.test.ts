import { expect, test } from 'vitest'
import { rootToken, startSignInFace, startWebFace } from '../../../../../test/rig/web-face.ts'
import { alice as anyone } from '../../../../../test/support/caller.ts'
import { TestProvider } from '../../../../../test/support/sign-in.ts'
import { systemClock } from '../../../../base/clock.ts'
import { TacoError } from '../../../../base/errors.ts'

test('a person signs in and gets back to the page they asked for', async () => {
  const { browser } = await startSignInFace()
  const alice = browser()

  const asked = await alice.get('/account/tokens?x=1')
  const page = await alice.get(asked.location ?? '')
  const [, href = ''] = /href="(\/sign-in\/corp[^"]*)"/.exec(page.text) ?? []
  const away = await alice.get(href.replaceAll('&amp;', '&'))
  const back = await alice.get('/sign-in/corp/callback?code=good')

  expect([asked.status, asked.location]).toEqual([303, '/sign-in?return_to=%2Faccount%2Ftokens%3Fx%3D1'])
  expect(page.text).toContain('Sign in with Corp')
  expect([away.status, away.location]).toEqual([
    303,
    'https://idp.example/authorize?redirect_uri=https://taco.example/sign-in/corp/callback',
  ])
  expect([back.status, back.location]).toEqual([303, '/account/tokens?x=1'])
  expect(await alice.get('/')).toMatchObject({ status: 200, text: expect.stringContaining('alice') })
})

test('the cookies of a session are bound to the host and hidden from scripts', async () => {
  const { browser } = await startSignInFace()
  const alice = browser()

  const away = await alice.get('/sign-in/corp')
  const back = await alice.get('/sign-in/corp/callback?code=good')

  expect(away.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-taco-sign-in=[\w.-]+; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
    ),
  ])
  expect(back.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-taco-sign-in=; Path=\/; Max-Age=0; Secure; /),
    expect.stringMatching(/^__Host-taco=[\w.-]+; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Lax$/),
  ])
})

test('over http://localhost the cookies need no https', async () => {
  const { browser } = await startSignInFace({ publicUrl: 'http://localhost:8226' })

  const { headers } = await browser().signIn()

  expect(headers['set-cookie']?.[1]).toMatch(/^taco=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/)
})

test('a provider that answers with a form gets a cookie that its site may bring back', async () => {
  const provider = new TestProvider()
  provider.answersBy = 'post'
  const { browser } = await startSignInFace({ providers: [provider] })
  const alice = browser()
  const fromProvider = {
    origin: 'https://idp.example',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  }

  const away = await alice.get('/sign-in/corp?return_to=/account/sessions')
  const back = await alice.submit('/sign-in/corp/callback', { code: 'good' }, fromProvider)

  expect(away.headers['set-cookie']?.[0]).toContain('; Secure; HttpOnly; SameSite=None')
  expect([back.status, back.location]).toEqual([303, '/account/sessions'])
})

test.each([
  ['another code', '/sign-in/corp', '/sign-in/corp/callback?code=bad', 401],
  ['nothing begun', '/sign-in', '/sign-in/corp/callback?code=good', 401],
  ['an unknown provider', '/sign-in', '/sign-in/other/callback?code=good', 404],
])('a sign-in with %s fails with the reason and a way to try again', async (_, first, second, status) => {
  const { browser } = await startSignInFace()
  const alice = browser()
  await alice.get(first)

  const failed = await alice.get(second)

  expect(failed.status).toBe(status)
  expect(alice.cookies.has('__Host-taco')).toBe(false)
  if (status === 401) {
    expect(failed.text).toContain('The sign-in was not begun in this browser.')
    expect(failed.text).toContain('href="/sign-in/corp"')
  }
})

test('a sign-in that was completed cannot be completed again from the same browser', async () => {
  const { browser } = await startSignInFace()
  const alice = browser()
  await alice.signIn()
  alice.cookies.delete('__Host-taco')

  expect((await alice.get('/sign-in/corp/callback?code=good')).status).toBe(401)
})

test('a provider that does not answer is a page that says so', async () => {
  const provider = new TestProvider()
  provider.begin = () => Promise.reject(new TacoError('BUCKET_UNAVAILABLE', 'Corp does not answer.'))
  const { browser } = await startSignInFace({ providers: [provider] })

  const page = await browser().get('/sign-in/corp')

  expect(page.status).toBe(503)
  expect(page.text).toContain('Corp does not answer.')
})

test('a suspended person does not get in', async () => {
  const { browser, people } = await startSignInFace()
  await browser().signIn()
  const caller = { principal: { kind: 'system', name: 'opentaco' } } as const
  await people.setSuspended((await people.get('alice', caller)).id, true, caller)

  const page = await browser().signIn()

  expect(page.status).toBe(403)
  expect(page.text).toContain('Your account is suspended.')
})

test.each(['//evil.example', 'https://evil.example/', '/\\evil.example', '/%09/evil.example/%0a', ''])(
  'return_to %j leads nowhere else',
  async (returnTo) => {
    const { browser } = await startSignInFace()
    const alice = browser()

    const { location = '' } = await alice.signIn(`/sign-in/corp?return_to=${encodeURIComponent(returnTo)}`)

    expect(new URL(location, 'https://taco.example').host).toBe('taco.example')
  },
)

test('a session opens pages and nothing else: not the API, the backend or metrics', async () => {
  const { browser } = await startSignInFace()
  const alice = browser()
  await alice.signIn()

  for (const path of ['/v1/server', '/v1/units', '/v1/backend/default/a', '/metrics', '/v1/nothing'])
    expect([path, (await alice.get(path)).status]).toEqual([path, 401])
})

test('files that anyone may keep come without a cookie', async () => {
  const time = { now: 1_800_000_000_000 }
  const { browser } = await startSignInFace({ clock: { ...systemClock, now: () => time.now } })
  const alice = browser()
  await alice.signIn()
  const [, asset = ''] = /href="(\/assets\/[^"]+\.css)"/.exec((await alice.get('/')).text) ?? []
  time.now += 10 * 60_000

  expect((await alice.get(asset)).headers).not.toHaveProperty('set-cookie')
  expect((await alice.get('/')).headers['set-cookie']?.[0]).toMatch(/^__Host-taco=/)
})

test('a token opens no page', async () => {
  const { browser } = await startSignInFace()
  const program = browser()

  const answer = await program.get('/', { authorization: `Bearer ${rootToken}` })

  expect([answer.status, answer.location]).toEqual([303, '/sign-in?return_to=%2F'])
})

test('signing out ends the session in every browser that has its cookie', async () => {
  const { browser } = await startSignInFace()
  const alice = browser()
  await alice.signIn()
  const copy = browser()
  for (const [name, value] of alice.cookies) copy.cookies.set(name, value)
  await alice.get('/')

  const out = await alice.submit('/sign-out')

  expect([out.status, out.location]).toEqual([303, '/sign-in?signed_out=1'])
  expect(alice.cookies.has('__Host-taco')).toBe(false)
  expect((await copy.get('/')).status).toBe(303)
  expect(copy.cookies.has('__Host-taco')).toBe(false)
})

test('nobody is signed out by a form without the token of the page', async () => {
  const { browser } = await startSignInFace()
  const alice = browser()
  await alice.signIn()

  expect((await alice.submit('/sign-out', { csrf: '' })).status).toBe(403)
  expect((await alice.get('/')).status).toBe(200)
})

test('the token of a form belongs to the session', async () => {
  const { browser } = await startSignInFace()
  const [alice, other] = [browser(), browser()]
  await alice.signIn()
  await other.signIn()
  const { text } = await other.get('/')
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''

  expect((await alice.submit('/sign-out', { csrf })).status).toBe(403)
})

test('who tries to sign in too often has to wait', async () => {
  const time = { now: 1_800_000_000_000 }
  const { browser } = await startSignInFace({ clock: { ...systemClock, now: () => time.now } })
  const alice = browser()
  const statuses = new Set<number>()
  for (let i = 0; i < 30; i++) statuses.add((await alice.get('/sign-in/corp/callback?code=bad')).status)

  const limited = await alice.get('/sign-in/corp')

  expect([...statuses]).toEqual([401])
  expect([limited.status, limited.headers['retry-after']]).toEqual([429, '2'])
  expect((await alice.get('/sign-in')).status).toBe(200)
  time.now += 2_000
  expect((await alice.get('/sign-in/corp')).status).toBe(303)
})

test('who is signed in is led past the sign-in page', async () => {
  const { browser } = await startSignInFace()
  const alice = browser()
  await alice.signIn()

  expect(await alice.get('/sign-in?return_to=/account/sessions')).toMatchObject({
    status: 303,
    location: '/account/sessions',
  })
})

test('without a provider, the page says who can add one', async () => {
  const { browser } = await startSignInFace({ providers: [] })

  expect((await browser().get('/sign-in')).text).toContain('Someone who runs the server has to add one.')
})

test('on a server without sign-in there is nothing to begin', async () => {
  const face = await startWebFace({ auth: 'token' })

  for (const path of ['/sign-in/corp', '/sign-in/corp/callback'])
    expect((await face.send(path, { headers: { accept: 'text/html' } })).status).toBe(404)
})

test('the metadata of a SAML provider is public, and names the configured callback', async () => {
  const saml = new TestProvider('saml')
  saml.metadata = ({ redirectUri }) => Promise.resolve(`<EntityDescriptor acs="${redirectUri}"/>`)
  const { browser } = await startSignInFace({ providers: [saml, new TestProvider()] })

  const { status, headers, text } = await browser().get('/sign-in/saml/metadata')

  expect([status, headers['content-type']]).toEqual([200, 'application/samlmetadata+xml'])
  expect(text).toBe('<EntityDescriptor acs="https://taco.example/sign-in/saml/callback"/>')
  for (const other of ['corp', 'none'])
    expect(await browser().get(`/sign-in/${other}/metadata`)).toMatchObject({ status: 404 })
})

test('a sign-in that fails is in the audit, from which address and without the code', async () => {
  const { browser, face } = await startSignInFace()
  const alice = browser()
  await alice.get('/sign-in/corp')
  await alice.get('/sign-in/corp/callback?code=bad-code')

  await expect
    .poll(async () => (await face.deps.control.audit.read({ limit: 10, result: 'refused' }, anyone)).items)
    .toMatchObject([
      {
        by: 'anonymous',
        address: '127.0.0.1',
        route: 'GET /sign-in/{provider}/callback',
        data: { reason: 'UNAUTHENTICATED' },
      },
    ])
  const everything = await face.deps.control.audit.read({ limit: 10 }, anyone)
  expect(JSON.stringify(everything)).not.toContain('bad-code')
})
