import { expect, test } from 'vitest'
import type { Answer, TestFace } from '../../../../../test/rig/http-face.ts'
import {
  type Fields,
  exchange,
  formOf,
  openLogin,
  post,
  publicUrl,
  request,
} from '../../../../../test/support/login.ts'

const ofTaco = {
  ...request,
  client_id: 'taco-cli',
  redirect_uri: 'http://127.0.0.1:50123/callback',
  machine: 'laptop',
}

const html = { accept: 'text/html' }
const csrfIn = ({ text }: Answer) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
const consent = (face: TestFace, asked: Fields = request) =>
  face.send(`/oauth/authorization?${formOf(asked)}`, { headers: html })

/** What the browser is told after the person answered. */
async function answered(face: TestFace, answer: 'allow' | 'deny', asked: Fields = request): Promise<Answer> {
  const page = await consent(face, asked)
  return post(face, '/oauth/authorization', { ...asked, answer, csrf: csrfIn(page) }, html)
}

test('the page asks, the code goes to the program, and the program gets a token', async () => {
  const face = await openLogin()
  const page = await consent(face)
  expect(page.status).toBe(200)
  expect(page.text).toContain('Allow Terraform or OpenTofu on this computer to act as alice?')
  expect(page.headers['content-security-policy']).toContain("form-action 'self' http://localhost:10003;")

  const back = await answered(face, 'allow')
  const url = new URL(String(back.headers.location))
  expect(back.status).toBe(303)
  expect(url.origin + url.pathname).toBe('http://localhost:10003/login')
  expect(url.searchParams.get('state')).toBe('a state & more')

  const answer = await exchange(face, url.searchParams.get('code') ?? '')
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
  expect(answer.headers['cache-control']).toBe('no-store')
  const { access_token: token, ...rest } = answer.json()
  expect(rest).toEqual({ token_type: 'Bearer', expires_in: expect.any(Number) })
  expect(await face.tokens.check(String(token))).toMatchObject({
    kind: 'user',
    via: { name: 'terraform login' },
  })
  expect(face.logged.join()).not.toContain(String(token))
})

test('who is not signed in is sent to the sign-in and back to the question', async () => {
  const face = await openLogin()
  face.as('nobody')
  const { status, headers } = await consent(face)
  const to = new URL(String(headers.location), publicUrl)
  expect([status, to.pathname]).toEqual([303, '/sign-in'])
  expect(to.searchParams.get('return_to')).toMatch(/^\/oauth\/authorization\?.*state=a\+state/)
})

test('a token cannot answer the question: it would get further tokens', async () => {
  const face = await openLogin()
  const { text } = await consent(face)
  face.as('token')
  const page = await consent(face)
  const sent = await post(
    face,
    '/oauth/authorization',
    { ...request, answer: 'allow', csrf: csrfIn({ text } as Answer) },
    html,
  )
  expect(page.headers.location).toMatch(/^\/sign-in/)
  expect([sent.status, sent.headers.location]).not.toContain(200)
  expect(String(sent.headers.location)).not.toContain('code=')
})

test('the question cannot be answered from elsewhere', async () => {
  const face = await openLogin()
  const sent = await post(face, '/oauth/authorization', { ...request, answer: 'allow' }, html)
  const cross = await post(
    face,
    '/oauth/authorization',
    { ...request, answer: 'allow', csrf: csrfIn(await consent(face)) },
    {
      ...html,
      'sec-fetch-site': 'cross-site',
    },
  )
  expect([sent.status, cross.status]).toEqual([403, 403])
})

test('who denies it sees so in the page; a program that listens is told', async () => {
  const face = await openLogin()
  const engine = await answered(face, 'deny')
  expect(engine.status).toBe(200)
  expect(engine.text).toContain('press Ctrl-C in the terminal')
  const taco = await answered(face, 'deny', ofTaco)
  expect(taco.headers.location).toBe(
    'http://127.0.0.1:50123/callback?error=access_denied&state=a+state+%26+more',
  )
})

test.each<[string, Fields, RegExp]>([
  ['an unknown client', { client_id: 'evil' }, /client id is unknown/],
  ['a foreign redirect URI', { redirect_uri: 'https://evil.example/login' }, /redirect URI/],
  ['a redirect URI of another client', { redirect_uri: ofTaco.redirect_uri }, /redirect URI/],
  ['no state', { state: '' }, /no state/],
  ['another response type', { response_type: 'token' }, /response type/],
  ['no challenge', { code_challenge: '' }, /PKCE/],
  ['a plain challenge', { code_challenge_method: 'plain' }, /PKCE/],
])('a request with %s is refused in the page, both when asked and when answered', async (_, wrong, says) => {
  const face = await openLogin()
  const asked = { ...request, ...wrong }
  const page = await consent(face, asked)
  const sent = await post(
    face,
    '/oauth/authorization',
    { ...asked, answer: 'allow', csrf: csrfIn(await consent(face)) },
    html,
  )
  for (const { status, text, headers } of [page, sent]) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(text).toMatch(says)
    expect(headers).not.toHaveProperty('location')
  }
})

test('what a program calls its computer is shown only if it is a name', async () => {
  const face = await openLogin()
  expect((await consent(face, ofTaco)).text).toContain('<code>laptop</code>')
  const odd = await consent(face, { ...ofTaco, machine: '<script>alert(1)</script>' })
  expect(odd.status).toBe(200)
  expect(odd.text).not.toContain('alert(1)')
})

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

test('a device shows a code, the person confirms what it is for, and the device gets a token', async () => {
  const face = await openLogin()
  const device = (await post(face, '/oauth/device', { client_id: 'taco-cli', machine: 'build-7' })).json()
  expect(device).toEqual({
    device_code: expect.any(String),
    user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
    verification_uri: 'https://taco.example/device',
    expires_in: 600,
    interval: 5,
  })
  const ask = () =>
    post(face, '/oauth/token', {
      grant_type: DEVICE_GRANT,
      client_id: 'taco-cli',
      device_code: String(device['device_code']),
    })
  expect((await ask()).json()).toMatchObject({ error: 'authorization_pending' })

  const empty = await face.send('/device', { headers: html })
  expect(empty.text).toContain('name="user_code"')
  const code = String(device['user_code'])
  const page = await face.send(`/device?${formOf({ user_code: code.toLowerCase() })}`, { headers: html })
  for (const said of ['act as alice?', code, 'build-7', '127.0.0.1']) expect(page.text).toContain(said)
  const done = await post(face, '/device', { user_code: code, answer: 'allow', csrf: csrfIn(page) }, html)
  expect(done.text).toContain('Device signed in')

  const { access_token: token } = (await ask()).json()
  expect(await face.tokens.check(String(token))).toMatchObject({ via: { name: 'taco login (build-7)' } })
  const again = await post(face, '/device', { user_code: code, answer: 'allow', csrf: csrfIn(page) }, html)
  expect(again.text).toContain('No device waits with this code')
})

test('wrong user codes are counted, and so are device codes that nobody uses', async () => {
  const face = await openLogin()
  const tried: number[] = []
  for (let i = 0; i < 7; i++)
    tried.push((await face.send('/device?user_code=BCDF-GHJK', { headers: html })).status)
  expect(tried).toEqual([200, 200, 200, 200, 200, 429, 429])
  const asked = new Set<number>()
  for (let i = 0; i < 22; i++)
    asked.add((await post(face, '/oauth/device', { client_id: 'taco-cli' })).status)
  expect(asked).toEqual(new Set([200, 429]))
})
