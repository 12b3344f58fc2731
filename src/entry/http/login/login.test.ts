import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startFace } from '../../../../test/rig/http-face.ts'
import {
  type Fields,
  codeFor,
  exchange,
  formType,
  openLogin,
  post,
  verifier,
} from '../../../../test/support/login.ts'
import { systemClock } from '../../../base/clock.ts'
import { silentLog } from '../../../base/log.ts'
import { createLoginFace, loginRoutes } from './face.ts'

test('every endpoint is open to everybody', () => {
  expect(loginRoutes.map(({ method, path, openness }) => `${method} ${path} ${openness}`)).toEqual([
    'GET /.well-known/terraform.json everybody',
    'POST /oauth/token everybody',
    'POST /oauth/device everybody',
    'POST /oauth/revoke everybody',
  ])
})

test('engines discover the sign-in, whatever token they send along', async () => {
  const face = await openLogin()
  const answer = await face.send('/.well-known/terraform.json', {
    headers: { authorization: 'Bearer stale' },
  })

  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
  expect(answer.json()).toEqual({
    'login.v1': {
      client: 'terraform-cli',
      grant_types: ['authz_code'],
      authz: 'https://taco.example/oauth/authorization',
      token: '/oauth/token',
      ports: [10000, 10010],
    },
    'tfe.v2': '/api/v2/',
    'taco.v1': { auth: 'sso', url: 'https://taco.example' },
  })
})

test.each<[string, Fields, string, number]>([
  ['a wrong verifier', { code_verifier: randomBytes(32).toString('base64url') }, 'invalid_grant', 400],
  ['another redirect URI', { redirect_uri: 'http://localhost:10004/login' }, 'invalid_grant', 400],
  ['another client', { client_id: 'taco-cli' }, 'invalid_grant', 400],
  ['a malformed code', { code: '../x' }, 'invalid_grant', 400],
  ['no code', { code: '' }, 'invalid_request', 400],
  ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type', 400],
])('%s gives the OAuth error, and is logged without the secret', async (_, wrong, error, status) => {
  const face = await openLogin()
  const code = await codeFor(face)
  const answer = await exchange(face, code, wrong)
  expect(answer.status).toBe(status)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.json()).toEqual({ error, error_description: expect.any(String) })
  expect(face.logged.join()).toContain(`"reason":"${error}"`)
  for (const secret of [code, verifier, wrong['code_verifier'] ?? code])
    expect(face.logged.join()).not.toContain(secret)
})

test('a code is refused when it has expired, and when it is presented again, which revokes its token', async () => {
  const face = await openLogin()
  const late = await codeFor(face)
  face.pass(61_000)
  expect((await exchange(face, late)).json()).toMatchObject({ error: 'invalid_grant' })

  const code = await codeFor(face)
  const { access_token: token } = (await exchange(face, code)).json()
  expect((await exchange(face, code)).json()).toMatchObject({ error: 'invalid_grant' })
  expect(await face.tokens.check(String(token))).toMatchObject({ kind: 'revoked' })
})

test('what is no form is refused as OAuth wants it', async () => {
  const face = await openLogin()
  const json = await face.send('/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const twice = await face.send('/oauth/token', {
    method: 'POST',
    headers: formType,
    body: 'grant_type=a&grant_type=b&client_id=c',
  })
  for (const answer of [json, twice])
    expect([answer.status, answer.json()['error']]).toEqual([400, 'invalid_request'])
})

test('an address that guesses codes has to wait', async () => {
  const face = await openLogin()
  const statuses = new Set<number>()
  for (let i = 0; i < 25; i++) statuses.add((await exchange(face, 'guess')).status)
  expect(statuses).toEqual(new Set([400, 429]))
  const limited = await exchange(face, 'guess')
  expect([limited.json()['error'], limited.headers['retry-after']]).toEqual([
    'temporarily_unavailable',
    expect.any(String),
  ])
})

test('a server without people offers no sign-in, and says so', async () => {
  const login = createLoginFace({
    auth: 'token',
    publicUrl: undefined,
    oauth: undefined,
    offers: {},
    clock: systemClock,
    log: silentLog,
  })
  const face = await startFace({ faces: [login] })
  expect((await face.send('/.well-known/terraform.json')).json()).toEqual({ 'taco.v1': { auth: 'token' } })
  expect((await exchange(face, 'x')).status).toBe(404)
  expect((await face.send('/oauth/nothing')).json()).toMatchObject({ error: 'invalid_request' })
})

test('a token revokes itself, and nothing is said about others', async () => {
  const face = await openLogin()
  const { access_token: token } = (await exchange(face, await codeFor(face))).json()
  for (const other of ['nonsense', `${String(token).slice(0, -1)}x`])
    expect((await post(face, '/oauth/revoke', { token: other })).status).toBe(200)
  expect(await face.tokens.check(String(token))).toMatchObject({ kind: 'user' })

  expect((await post(face, '/oauth/revoke', { token: String(token) })).status).toBe(200)
  expect(await face.tokens.check(String(token))).toMatchObject({ kind: 'revoked', by: 'user:alice' })
  expect((await post(face, '/oauth/revoke', { token: String(token) })).status).toBe(200)
})
