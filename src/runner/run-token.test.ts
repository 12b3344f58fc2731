import { expect, onTestFinished, test } from 'vitest'
import { childEnv } from './child-env.ts'
import { openClient } from '../entry/cli/api/client.ts'
import { takeRunToken } from './run-token.ts'
import { sendJson, testServer } from '../../test/support/cli.ts'

async function start(answers: { readonly revoke?: number } = {}) {
  let renewals = 0
  const server = await testServer(({ method, url }, res) => {
    if (method === 'DELETE') {
      res.writeHead(answers.revoke ?? 204).end()
    } else if (url.includes('/renew')) {
      renewals += 1
      // The first one fails, as it does while a server is started anew.
      if (renewals === 1) sendJson(res, {}, 503)
      else sendJson(res, { expiresAt: 'later' })
    } else sendJson(res, { id: 'i1', token: 'taco_run_default.i1.s', expiresAt: 'soon' }, 201)
  })
  onTestFinished(server.close)
  const client = openClient({
    base: server.url,
    org: 'default',
    label: 'test',
    token: 'strong',
    userAgent: 'test',
  })
  onTestFinished(client.close)
  const said: string[] = []
  const take = () => takeRunToken(client, 'prod/network', { ttlMs: 60, say: (line) => said.push(line) })
  return { server, take, said, renewals: () => renewals }
}

test('a run token is renewed while the run lasts, also after a renewal that failed, and revoked at its end', async () => {
  const { server, take, said, renewals } = await start()
  const run = await take()
  await expect.poll(renewals).toBeGreaterThan(2)
  await run.end()
  const last = server.heard.at(-1)

  expect(run.token).toBe('taco_run_default.i1.s')
  expect(server.heard[0]).toMatchObject({
    method: 'POST',
    url: '/v1/units/prod--network/run-tokens?org=default',
    body: '{"ttlMs":60}',
  })
  expect(last).toMatchObject({ method: 'DELETE', url: '/v1/run-tokens/i1?org=default' })
  expect(server.heard.every(({ headers }) => headers.authorization === 'Bearer strong')).toBe(true)
  expect(said).toEqual([])
})

test('one that cannot be revoked fails nothing, and is told with its end', async () => {
  const { take, said, renewals } = await start({ revoke: 503 })
  const run = await take()
  await expect.poll(renewals).toBeGreaterThan(1)
  await run.end()

  expect(said).toEqual([expect.stringContaining('valid until later')])
})

test('a child finds no token of the control plane, under whatever name', () => {
  const env = {
    PATH: '/bin',
    TACO_SERVER: 'http://taco',
    TACO_TOKEN: 'strong',
    TACO_TOKEN_FILE: '/secret',
    TACO_ROOT_TOKEN: 'root',
    CI_TACO: 'strong',
    CI_ROOT: 'root',
    CI_FILE: 'from-file',
    TF_HTTP_PASSWORD: 'old',
    EMPTY: '',
    UNSET: undefined,
  }

  expect(childEnv(env, 'from-file')).toEqual({ PATH: '/bin', TACO_SERVER: 'http://taco', EMPTY: '' })
})

test('nor a variable that holds the token within something else', () => {
  const token = 'SMjMdslQcvW1/th2tLvjH05Q+EE5zevr'
  const env = {
    PATH: '/bin',
    HEADER: `Authorization: Bearer ${token}`,
    TF_CLI_ARGS_init: `-backend-config=password=${token}`,
    URL: `http://taco:${encodeURIComponent(token)}@taco.example`,
    BASIC: `Authorization: Basic ${Buffer.from(`somebody:${token}`).toString('base64')}`,
    LINE: `${token}\n`,
    UNRELATED: Buffer.from('some other text, long enough to look at').toString('base64'),
  }

  expect(Object.keys(childEnv(env, token))).toEqual(['PATH', 'UNRELATED'])
})
