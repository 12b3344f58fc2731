import { expect, test } from 'vitest'
import { startSignInFace, startWebFace } from '../../../../../test/rig/web-face.ts'
import { TestProvider, aliceIdentity } from '../../../../../test/support/sign-in.ts'
import { browserName } from './browser-name.ts'

async function signedIn() {
  const provider = new TestProvider()
  const started = await startSignInFace({ providers: [provider] })
  const alice = started.browser()
  await alice.signIn()
  return { ...started, provider, alice }
}

const tokenIn = (text: string) => /taco_pat_[\w.-]+/.exec(text)?.[0] ?? ''
const fieldIn = (text: string, name: string) => [
  ...text.matchAll(new RegExp(`name="${name}" value="([^"]+)"`, 'g')),
]

test('a token is created, shown once, works, and is revoked', async () => {
  const { alice, tokens } = await signedIn()
  await alice.get('/account/tokens')

  const created = await alice.submit('/account/tokens', {
    name: 'laptop',
    days: '30',
    units: 'prod/** dev/**',
    actions: 'state:read',
  })
  const text = tokenIn(created.text)
  const listed = await alice.get('/account/tokens')

  expect(created.status).toBe(200)
  expect(await tokens.check(text)).toMatchObject({
    kind: 'user',
    name: 'alice',
    scope: { actions: ['state:read'], units: ['prod/**', 'dev/**'] },
  })
  expect(listed.text).toContain('state:read on prod/**, dev/**')
  expect(listed.text).not.toContain(text)
  const [, id = ''] = fieldIn(listed.text, 'token')[0] ?? []
  expect(await alice.submit('/account/tokens/revoke', { token: id })).toMatchObject({
    location: '/account/tokens',
  })
  expect(await tokens.check(text)).toMatchObject({ kind: 'revoked' })
  expect(fieldIn((await alice.get('/account/tokens')).text, 'token')).toEqual([])
})

test('who creates tokens without end has to wait', async () => {
  const { alice, tokens, people } = await signedIn()
  await alice.get('/account/tokens')
  let status = 200
  for (let i = 0; i < 40 && status === 200; i++)
    status = (await alice.submit('/account/tokens', { name: `n${i}`, days: '7' })).status

  expect(status).toBe(429)
  const caller = { principal: { kind: 'system', name: 'opentaco' } } as const
  const { id: user } = await people.get('alice', caller)
  expect((await tokens.list({ user }, caller)).length).toBeLessThan(40)
})

test('a page with a new token is not compressed: its size would tell about it', async () => {
  const { alice } = await signedIn()
  await alice.get('/account/tokens')

  const created = await alice.submit(
    '/account/tokens',
    { name: 'n', days: '7' },
    { 'accept-encoding': 'gzip' },
  )

  expect(created.headers).not.toHaveProperty('content-encoding')
})

test.each([
  ['', 'Give the token a name.'],
  ['   ', 'Give the token a name.'],
  ['x'.repeat(101), 'at most 100 characters'],
])('the name %j is refused beside its field, and the rest of the form is kept', async (name, message) => {
  const { alice } = await signedIn()
  await alice.get('/account/tokens')

  const page = await alice.submit('/account/tokens', { name, days: '365', units: 'prod/<b>' })

  expect(page.status).toBe(400)
  expect(page.text).toContain(message)
  expect(page.text).toMatch(/id="name"[^>]*aria-describedby="name-hint name-error" aria-invalid="true"/)
  expect(page.text).toContain('value="prod/&lt;b&gt;"')
  expect(page.text).toMatch(/<option value="365" selected/)
})

test('a name is shown as text', async () => {
  const { alice } = await signedIn()
  await alice.get('/account/tokens')
  const name = '<script>alert(1)</script>"\'&'

  const page = await alice.submit('/account/tokens', { name, days: '7' })

  expect(page.text).not.toContain('<script>alert')
  expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('no one sees or revokes the tokens of others', async () => {
  const { alice, provider, browser, tokens } = await signedIn()
  await alice.get('/account/tokens')
  const text = tokenIn((await alice.submit('/account/tokens', { name: 'laptop', days: '7' })).text)
  const [, id = ''] = fieldIn((await alice.get('/account/tokens')).text, 'token')[0] ?? []
  provider.identity = { ...aliceIdentity, subject: 'sub-bob', login: 'bob' }
  const bob = browser()
  await bob.signIn()

  expect((await bob.get('/account/tokens')).text).toContain('You have no tokens.')
  expect((await bob.submit('/account/tokens/revoke', { token: id })).status).toBe(404)
  expect(await tokens.check(text)).toMatchObject({ kind: 'user' })
})

test('the login commands of engines find the page at the address they know', async () => {
  const { alice } = await signedIn()

  const page = await alice.get('/app/settings/tokens?source=terraform-login')

  expect(page.status).toBe(200)
  expect(page.text).toContain('paste it into the terminal')
})

test('sessions are listed, and one of them is signed out', async () => {
  const { alice, browser } = await signedIn()
  const phone = browser()
  await phone.signIn()

  const page = await alice.get('/account/sessions')
  const ids = fieldIn(page.text, 'session').map(([, id]) => String(id))
  const [, current] = /this browser[\s\S]*?name="session" value="([^"]+)"/.exec(page.text) ?? []
  const other = ids.find((id) => id !== current) ?? ''
  const ended = await alice.submit('/account/sessions/end', { session: other })

  expect(ids).toHaveLength(2)
  expect(page.text).toContain('Firefox on Linux')
  expect(page.text).toContain('127.0.0.1')
  expect(ended.location).toBe('/account/sessions')
  expect((await phone.get('/')).status).toBe(303)
  expect(fieldIn((await alice.get('/account/sessions')).text, 'session')).toHaveLength(1)
})

test('signing out this browser in the list, or everywhere, leads to the sign-in page', async () => {
  for (const path of ['/account/sessions/end', '/account/sessions/end-all']) {
    const { alice, browser } = await signedIn()
    const phone = browser()
    await phone.signIn()
    const { text } = await alice.get('/account/sessions')
    const [, session = ''] = /this browser[\s\S]*?name="session" value="([^"]+)"/.exec(text) ?? []

    const ended = await alice.submit(path, path.endsWith('/end') ? { session } : {})

    expect(ended.location).toBe('/sign-in?signed_out=1')
    expect((await alice.get('/')).status).toBe(303)
    expect((await phone.get('/')).status).toBe(path.endsWith('/end') ? 200 : 303)
  }
})

test('on a server without sign-in nobody has an account', async () => {
  const face = await startWebFace()

  for (const path of ['/account/tokens', '/account/sessions'])
    expect((await face.send(path, { headers: { accept: 'text/html' } })).status).toBe(404)
})

test.each([
  [undefined, 'Unknown browser'],
  ['curl/8.5.0', 'curl/8.5.0'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1 Version/18 Safari/605.1',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 CriOS/140 Safari/604.1',
    'Chrome on iOS',
  ],
])('%s is shown as %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})
