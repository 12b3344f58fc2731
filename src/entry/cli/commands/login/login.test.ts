import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Heard,
  type TestWorld,
  sendJson,
  testServer,
  testWorld,
} from '../../../../../test/support/cli.ts'

interface Fake {
  readonly auth?: 'none' | 'token' | 'sso'
  /** What the token endpoint answers, one after another; the last one for ever. */
  readonly tokens?: readonly object[]
  readonly principal?: string
}

const granted = { access_token: 'taco_pat_new', token_type: 'Bearer' }
const tokenForm = (heard: readonly Heard[]) =>
  heard.filter(({ url }) => url === '/oauth/token').map(({ body }) => new URLSearchParams(body))

/** A server as `taco login` meets it. */
async function fakeServer({ auth = 'sso', tokens = [granted], principal = 'user:alice' }: Fake = {}) {
  let asked = 0
  const server = await testServer(({ url, headers }, res) => {
    if (url === '/.well-known/terraform.json')
      return sendJson(res, {
        'login.v1': { client: 'terraform-cli', authz: '/oauth/authorization' },
        'taco.v1': { auth, url: 'https://public.example' },
      })
    if (url === '/oauth/device')
      return sendJson(res, {
        device_code: 'd.e',
        user_code: 'BCDF-GHJK',
        verification_uri: 'https://public.example/device',
        expires_in: 600,
        interval: 0.01,
      })
    if (url === '/oauth/token') {
      const answer = tokens[Math.min(asked++, tokens.length - 1)] ?? {}
      return sendJson(res, answer, 'error' in answer ? 400 : 200)
    }
    if (url === '/oauth/revoke') return sendJson(res, {}, 200)
    if (url !== '/v1/whoami') return sendJson(res, { code: 'NOT_FOUND', detail: 'no' }, 404)
    if (!headers.authorization?.startsWith('Bearer taco_'))
      return sendJson(res, { code: 'UNAUTHENTICATED', detail: 'The token is wrong.' }, 401)
    sendJson(res, {
      principal,
      name: 'Alice',
      token: { id: 'at-1', name: 'taco login (laptop)', expiresAt: '2026-04-02T00:00:00.000Z' },
      orgs: [{ org: 'default', roles: ['owner'] }],
    })
  })
  onTestFinished(server.close)
  return server
}

function worldFor(...args: Parameters<typeof testWorld>): TestWorld {
  const world = testWorld(...args)
  onTestFinished(world.dispose)
  return world
}

/** Plays the person in the browser: agrees, and is sent back with a code. */
function agreeing(change: (back: URLSearchParams, page: URL) => void = () => {}) {
  const pages: URL[] = []
  const texts: string[] = []
  return {
    pages,
    texts,
    openBrowser: async (text: string) => {
      const page = new URL(text)
      pages.push(page)
      const back = new URLSearchParams({ code: 'c.d', state: page.searchParams.get('state') ?? '' })
      change(back, page)
      void fetch(`${page.searchParams.get('redirect_uri')}?${back.toString()}`)
        .then((reply) => reply.text())
        .then((text) => texts.push(text))
      return true
    },
  }
}

const stored = (world: TestWorld) => join(world.home, '.config/opentaco/credentials.json')
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>

test('login sends the browser to the page, exchanges the code, and later commands use the token', async () => {
  const server = await fakeServer()
  const browser = agreeing()
  const world = worldFor({ openBrowser: browser.openBrowser })

  expect(await world.run('login', server.url)).toBe(0)
  expect(world.out()).toBe(`signed in to ${server.url} as alice\n`)
  const [page] = browser.pages
  expect(page?.origin + (page?.pathname ?? '')).toBe('https://public.example/oauth/authorization')
  expect(world.err()).toContain(page?.href)
  const asked = Object.fromEntries(page?.searchParams ?? [])
  expect(asked).toMatchObject({
    response_type: 'code',
    client_id: 'taco-cli',
    code_challenge_method: 'S256',
    machine: 'laptop',
  })
  const [form] = tokenForm(server.heard)
  expect(Object.fromEntries(form ?? [])).toMatchObject({
    grant_type: 'authorization_code',
    client_id: 'taco-cli',
    code: 'c.d',
    redirect_uri: asked['redirect_uri'],
  })
  const verifier = form?.get('code_verifier') ?? ''
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(asked['code_challenge'])

  expect(statSync(stored(world)).mode & 0o777).toBe(0o600)
  expect(readJson(stored(world))).toMatchObject({ servers: { [server.url]: { token: 'taco_pat_new' } } })
  expect(await world.run('whoami')).toBe(0)
  expect(server.heard.at(-1)?.headers.authorization).toBe('Bearer taco_pat_new')
  expect(world.out()).toContain('user:alice')
})

test('a callback with a foreign state is refused, and the right one is still taken', async () => {
  const server = await fakeServer()
  const statuses: number[] = []
  const world = worldFor({
    async openBrowser(text) {
      const asked = new URL(text).searchParams
      const back = asked.get('redirect_uri') ?? ''
      const state = asked.get('state') ?? ''
      for (const query of [
        'code=stolen&state=wrong',
        'code=stolen',
        `state=${state}`,
        'error=access_denied&state=x',
      ])
        statuses.push((await fetch(`${back}?${query}`)).status)
      statuses.push((await fetch(`${back}/other?code=stolen&state=${state}`)).status)
      void fetch(`${back}?code=right&state=${state}`)
      return true
    },
  })

  expect(await world.run('login', server.url)).toBe(0)
  expect(statuses).toEqual([400, 400, 400, 400, 400])
  expect(tokenForm(server.heard).map((form) => form.get('code'))).toEqual(['right'])
})

test('who denies it in the browser is not signed in, and both the page and the terminal say so', async () => {
  const server = await fakeServer()
  const browser = agreeing((back) => {
    back.delete('code')
    back.set('error', 'access_denied')
  })
  const world = worldFor({ openBrowser: browser.openBrowser })

  expect(await world.run('login', server.url)).toBe(5)
  expect(world.err()).toContain('denied')
  await expect.poll(() => browser.texts.join()).toContain('You denied it')
  expect(existsSync(stored(world))).toBe(false)
})

test('a code that the server refuses leaves nothing behind, and the browser shows it', async () => {
  const server = await fakeServer({
    tokens: [{ error: 'invalid_grant', error_description: 'The code is <b>not</b> valid.' }],
  })
  const browser = agreeing()
  const world = worldFor({ openBrowser: browser.openBrowser })

  expect(await world.run('login', server.url)).toBe(2)
  expect(world.err()).toContain('The code is <b>not</b> valid.')
  await expect.poll(() => browser.texts.join()).toContain('The code is &#60;b&#62;not')
  expect(tokenForm(server.heard)).toHaveLength(1)
  expect(existsSync(stored(world))).toBe(false)
})

test('Ctrl-C ends the waiting', async () => {
  const server = await fakeServer()
  let back = ''
  const world = worldFor({
    async openBrowser(text) {
      back = new URL(text).searchParams.get('redirect_uri') ?? ''
      setTimeout(() => world.signal('SIGINT'), 20)
      return true
    },
  })

  expect(await world.run('login', server.url)).toBe(130)
  await expect
    .poll(() =>
      fetch(back).then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed')
})

test('--no-browser only prints the address', async () => {
  const server = await fakeServer()
  let isOpened = false
  const world = worldFor({
    openBrowser: async () => (isOpened = true),
  })
  const done = world.run('login', server.url, '--no-browser')
  await expect.poll(() => world.err()).toContain('/oauth/authorization?')
  const page = new URL(/https:\S+/.exec(world.err())?.[0] ?? '')
  await agreeing().openBrowser(page.href)

  expect(await done).toBe(0)
  expect(isOpened).toBe(false)
})

test('--device shows the code, waits, slows down when told to, and keeps the token', async () => {
  const pending = { error: 'authorization_pending' }
  const server = await fakeServer({ tokens: [pending, pending, granted] })
  const world = worldFor()

  expect(await world.run('login', server.url, '--device')).toBe(0)
  expect(world.err()).toContain('BCDF-GHJK')
  expect(world.err()).toContain('https://public.example/device')
  expect(tokenForm(server.heard)).toHaveLength(3)
  expect(tokenForm(server.heard)[0]?.get('device_code')).toBe('d.e')
  expect(readJson(stored(world))).toMatchObject({ servers: { [server.url]: { token: 'taco_pat_new' } } })
})

test.each([
  ['access_denied', 5, 'denied'],
  ['expired_token', 1, 'expired'],
  ['invalid_grant', 2, 'invalid_grant'],
])('--device ends with %s', async (error, code, says) => {
  const server = await fakeServer({ tokens: [{ error }] })
  const world = worldFor()
  expect(await world.run('login', server.url, '--device')).toBe(code)
  expect(world.err()).toContain(says)
  expect(existsSync(stored(world))).toBe(false)
})

test('--token-stdin keeps a token that the server accepts, and no other', async () => {
  const server = await fakeServer()
  const good = worldFor({ input: 'taco_pat_mine\n' })
  const bad = worldFor({ input: 'wrong\n' })
  const empty = worldFor({ input: '' })

  expect(await good.run('login', server.url, '--token-stdin')).toBe(0)
  expect(readJson(stored(good))).toMatchObject({
    servers: { [server.url]: { token: 'taco_pat_mine', isOwn: false } },
  })
  expect(await bad.run('login', server.url, '--token-stdin')).toBe(5)
  expect(await empty.run('login', server.url, '--token-stdin')).toBe(2)
  expect(existsSync(stored(bad))).toBe(false)
})

test('--workload exchanges the identity of a job, wherever it comes from', async () => {
  const github = await testServer(({ url, headers }, res) =>
    headers.authorization === 'Bearer asking'
      ? sendJson(res, { value: `of-github ${url}` })
      : sendJson(res, {}, 403),
  )
  onTestFinished(github.close)
  const server = await fakeServer({
    tokens: [{ access_token: 'taco_wl_1' }],
    principal: 'token:default/deploy',
  })
  const login = async (env: Record<string, string>, ...more: readonly string[]) => {
    const world = worldFor({ env })
    writeFileSync(join(world.cwd, 'id-token'), 'of-file\n')
    const file = more.map((one) => one.replace('@', join(world.cwd, 'id-token')))
    return { code: await world.run('login', server.url, '--workload', ...file), world }
  }
  const actions = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api-version=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'asking',
  }

  const { code, world } = await login({ ...actions, TACO_ORG: 'acme' })
  expect(code, world.err()).toBe(0)
  expect(world.out()).toContain('as token:default/deploy')
  expect(readJson(stored(world))).toMatchObject({
    servers: { [server.url]: { token: 'taco_wl_1', isOwn: false } },
  })
  await login({ ...actions, TACO_ID_TOKEN: 'of-variable' })
  await login({ TACO_ID_TOKEN: 'of-variable' }, '--id-token-file', '@')
  expect(tokenForm(server.heard).map((form) => [form.get('subject_token'), form.get('org')])).toEqual([
    ['of-github /token?api-version=2&audience=https%3A%2F%2Fpublic.example', 'acme'],
    ['of-variable', 'default'],
    ['of-file', 'default'],
  ])

  expect((await login({})).code).toBe(2)
  expect((await login({ ...actions, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x' })).world.err()).toContain(
    'id-token: write',
  )
})

test('a server that knows only the root token, or none, explains itself', async () => {
  const root = await fakeServer({ auth: 'token', principal: 'token:root' })
  const world = worldFor()
  expect(await world.run('login', root.url)).toBe(2)
  expect(world.err()).toContain('taco login --token-stdin')

  const piped = worldFor({ input: 'taco_root_0123456789' })
  expect(await piped.run('login', root.url, '--token-stdin')).toBe(0)
  expect(piped.out()).toBe(`signed in to ${root.url} as token:root\n`)
  expect(existsSync(join(piped.home, '.terraform.d'))).toBe(false)

  const open = await fakeServer({ auth: 'none' })
  const other = worldFor()
  expect(await other.run('login', open.url)).toBe(0)
  expect(other.err()).toContain('nothing to sign in to')
})

test('what is no such server is reported as one', async () => {
  const other = await testServer((_, res) => sendJson(res, { hello: 1 }))
  const older = await testServer((_, res) => sendJson(res, { code: 'UNAUTHENTICATED', detail: 'no' }, 401))
  onTestFinished(other.close)
  onTestFinished(older.close)
  for (const { url } of [other, older]) {
    const world = worldFor()
    expect(await world.run('login', url)).toBe(2)
    expect(world.err()).toContain('does not offer a sign-in')
  }
  const nowhere = worldFor()
  expect(await nowhere.run('login', 'http://127.0.0.1:9')).toBe(6)
})

test('the token of the environment comes first, and login says so', async () => {
  const server = await fakeServer()
  const world = worldFor({ openBrowser: agreeing().openBrowser, env: { TACO_TOKEN: 'taco_env' } })
  expect(await world.run('login', server.url)).toBe(0)
  expect(world.err()).toContain('TACO_TOKEN is set')
  await world.run('whoami')
  expect(server.heard.at(-1)?.headers.authorization).toBe('Bearer taco_env')
})

test('a stored token is sent to its own server only', async () => {
  const [one, two] = [await fakeServer(), await fakeServer()]
  const world = worldFor({ openBrowser: agreeing().openBrowser })
  await world.run('login', one.url)
  expect(await world.run('--server', two.url, 'whoami')).toBe(5)
  expect(two.heard.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  expect(await world.run('login', two.url)).toBe(0)
  expect(world.err()).toContain(`the default stays ${one.url}`)
  expect(await world.run('--server', two.url, 'whoami')).toBe(0)
})

test('logging in again revokes the token before', async () => {
  const server = await fakeServer({
    tokens: [{ access_token: 'taco_pat_1' }, { access_token: 'taco_pat_2' }],
  })
  const world = worldFor({ openBrowser: agreeing().openBrowser })
  await world.run('login', server.url)
  await world.run('login', server.url)
  const revoked = server.heard.filter(({ url }) => url === '/oauth/revoke')
  expect(revoked.map(({ body }) => body)).toEqual(['token=taco_pat_1'])
})

const tfrc = (world: TestWorld) => join(world.home, '.terraform.d/credentials.tfrc.json')

test('for a local server without TLS, engines get the token and the addresses, and logout takes them away', async () => {
  const server = await fakeServer()
  const host = new URL(server.url).host
  const world = worldFor({ openBrowser: agreeing().openBrowser })
  mkdirSync(dirname(tfrc(world)))
  const others = { plugin_cache_dir: '/x', credentials: { 'app.terraform.io': { token: 'other' } } }
  writeFileSync(tfrc(world), JSON.stringify(others))

  expect(await world.run('login', server.url)).toBe(0)
  expect(readJson(tfrc(world))).toEqual({
    ...others,
    credentials: { ...others.credentials, [host]: { token: 'taco_pat_new' } },
  })
  expect(statSync(tfrc(world)).mode & 0o777).toBe(0o600)
  const own = join(dirname(tfrc(world)), `opentaco-${host.replace(':', '-')}.tfrc`)
  expect(readFileSync(own, 'utf8')).toContain(`host "${host}" {`)
  expect(readFileSync(own, 'utf8')).toContain(`"authz" = "${server.url}/oauth/authorization"`)

  expect(await world.run('logout')).toBe(0)
  expect(server.heard.at(-1)).toMatchObject({ url: '/oauth/revoke', body: 'token=taco_pat_new' })
  expect(readJson(tfrc(world))).toEqual(others)
  expect(existsSync(own)).toBe(false)
  expect(readJson(stored(world))).toEqual({ servers: {} })
  expect(await world.run('logout')).toBe(0)
  expect(world.out()).toContain('not signed in')
})

test('--for none leaves the files of engines alone; one that cannot be read is not overwritten', async () => {
  const server = await fakeServer()
  const world = worldFor({ openBrowser: agreeing().openBrowser })
  await world.run('login', server.url, '--for', 'none')
  expect(existsSync(dirname(tfrc(world)))).toBe(false)

  mkdirSync(dirname(tfrc(world)))
  writeFileSync(tfrc(world), 'credentials "x" {}')
  expect(await world.run('login', server.url, '--for', 'terraform')).toBe(2)
  expect(readFileSync(tfrc(world), 'utf8')).toBe('credentials "x" {}')
})

test('logout removes the token here even if the server does not answer, and says what is left to do', async () => {
  const server = await fakeServer()
  const world = worldFor({ openBrowser: agreeing().openBrowser })
  await world.run('login', server.url)
  await server.close()

  expect(await world.run('logout')).toBe(1)
  expect(world.err()).toContain('could not be revoked')
  expect(world.err()).toContain('/account/tokens')
  expect(readJson(stored(world))).toEqual({ servers: {} })
})

test('whoami --token prints the token and nothing else; --json passes the answer on', async () => {
  const server = await fakeServer()
  const world = worldFor({ openBrowser: agreeing().openBrowser })
  await world.run('login', server.url, '--quiet')
  const before = world.out().length
  expect(await world.run('whoami', '--token')).toBe(0)
  expect(world.out().slice(before)).toBe('taco_pat_new\n')
  expect(await world.run('whoami', '--json')).toBe(0)
  expect(world.out()).toContain('"orgs":[{"org":"default","roles":["owner"]}]')
})

test('a damaged file of credentials is reported', async () => {
  const world = worldFor()
  mkdirSync(dirname(stored(world)), { recursive: true })
  writeFileSync(stored(world), '{}')
  expect(await world.run('whoami')).toBe(2)
  expect(world.err()).toContain('credentials.json cannot be used')
})
