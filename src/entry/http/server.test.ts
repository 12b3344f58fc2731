import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import { createLog } from '../../base/log-sink.ts'
import { silentLog } from '../../base/log.ts'
import { tokenGuard } from './auth/auth.ts'
import { createHttpFace } from './server.ts'
import { send, startFace, testDeps } from '../../../test/rig/http-face.ts'
import { sendRaw } from '../../../test/rig/raw-http.ts'

const token = 'a-token-that-is-long-enough'

test('both halves refuse without a token and let in with one', async () => {
  const face = await startFace({ guard: tokenGuard({ token, clock: systemClock }) })

  for (const path of ['/v1/server', '/v1/backend/default/a', '/metrics', '/v1/openapi.json', '/nothing']) {
    const refused = await face.send(path)
    expect(refused.json()).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer/)
  }
  expect((await face.send('/healthz')).status).toBe(200)
  expect(
    (await face.send('/v1/server', { headers: { authorization: `Bearer ${token}` } })).json(),
  ).toMatchObject({ name: 'opentaco', auth: 'token' })
})

test('an upload that is refused for its token is answered while it is still being sent', async () => {
  const face = await startFace({ guard: tokenGuard({ token, clock: systemClock }) })

  const refused = await face.send('/v1/backend/default/a', { method: 'POST', body: Buffer.alloc(20_000_000) })

  expect(refused.status).toBe(401)
})

test("the id of a request is the client's if it is sane, and appears in the answer and in the log", async () => {
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', write: (text) => lines.push(text) })
  const face = await startFace({ log })

  const mine = await face.send('/v1/server?token=hunter2', { headers: { 'x-request-id': 'ci-4711' } })
  const bad = await face.send('/v1/server', { headers: { 'x-request-id': 'a "b"' } })

  expect(mine.headers['x-request-id']).toBe('ci-4711')
  expect(bad.headers['x-request-id']).toMatch(/^req-/)
  // Several lines may come in one piece.
  await expect.poll(() => lines.join('').match(/"message":"request"/g)?.length).toBe(2)
  expect(lines.join('')).toContain('"requestId":"ci-4711"')
  expect(lines.join('')).not.toContain('hunter2')
  expect(lines.join('')).toContain('"status":200')
})

test('a bucket that fails gives 503 with the reason, never 404', async () => {
  const { control } = await testDeps()
  const down = () => Promise.reject(new TacoError('BUCKET_UNAVAILABLE', 'the bucket s3://x does not answer'))
  const face = await startFace({
    control: { ...control, states: { ...control.states, read: down }, orgs: { ...control.orgs, list: down } },
    ready: down,
  })

  for (const path of ['/v1/backend/default/a', '/v1/units/a/state', '/v1/orgs', '/readyz']) {
    const answer = await face.send(path)
    expect(answer.json()).toMatchObject({
      status: 503,
      code: 'BUCKET_UNAVAILABLE',
      detail: 'the bucket s3://x does not answer',
    })
    expect(answer.status).toBe(503)
    expect(answer.headers['retry-after']).toBe('5')
  }
})

test('metrics count both halves by route', async () => {
  const face = await startFace()
  await face.send('/v1/backend/default/secret-name')
  await face.send('/v1/server')
  await face.send('/v1/nothing')

  const { text } = await face.send('/metrics')

  expect(text).toContain(
    'opentaco_http_requests_total{route="/v1/backend/{org}/{unit}",method="GET",status="404"} 1',
  )
  expect(text).toContain('opentaco_http_requests_total{route="/v1/server",method="GET",status="200"} 1')
  expect(text).not.toContain('secret-name')
})

test('a stream that breaks in the middle breaks the connection, so that nobody takes it for whole', async () => {
  const { control } = await testDeps()
  const found = {
    key: 'k',
    tag: 't',
    size: 1_000_000,
    modifiedAt: 0,
    discard() {},
    bytes: () => Promise.reject(new Error('no')),
    async *stream() {
      yield Buffer.alloc(500_000)
      throw new TacoError('BUCKET_UNAVAILABLE', 'gone')
    },
  }
  const face = await startFace({
    control: { ...control, states: { ...control.states, read: () => Promise.resolve(found as never) } },
  })

  await expect(face.send('/v1/backend/default/a')).rejects.toThrow(/aborted|hang up|ECONNRESET/)
})

test('what is no request does not take the place of the answer to one that came before it', async () => {
  const face = await startFace()
  const socket = connect(face.port, '127.0.0.1')
  const heard = text(socket)

  socket.write('GET /v1/orgs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nnothing like a request\r\n\r\n')

  expect((await heard).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
})

test('headers that are too large are refused', async () => {
  const face = await startFace()

  const refused = await face.send('/v1/server', { headers: { 'x-large': 'x'.repeat(20_000) } })

  expect(refused.json()).toMatchObject({
    status: 431,
    code: 'BAD_REQUEST',
    field: 'request',
    hint: expect.stringContaining('headers'),
    requestId: refused.headers['x-request-id'],
  })
})

test('without authentication, a name that is not of this machine is refused', async () => {
  const face = await startFace()

  expect((await face.send('/v1/backend/default/a', { headers: { host: 'evil.example' } })).status).toBe(403)
})

test('a body for the native API is at most a megabyte, and must be JSON', async () => {
  const face = await startFace()
  const json = { 'content-type': 'application/json' }
  const large = JSON.stringify({ name: 'x'.repeat(2_000_000) })

  expect((await face.send('/v1/units', { method: 'POST', headers: json, body: large })).json()).toMatchObject(
    { status: 413 },
  )
  expect(
    (
      await face.send('/v1/units', {
        method: 'POST',
        headers: { ...json, 'transfer-encoding': 'chunked' },
        body: large,
      })
    ).json(),
  ).toMatchObject({ status: 413 })
  expect((await face.send('/v1/units', { method: 'POST', headers: json, body: '{' })).json()).toMatchObject({
    status: 400,
    field: 'body',
    hint: expect.stringContaining('JSON'),
  })
  expect(
    (await face.send('/v1/units', { method: 'POST', headers: json, body: '{"nam":"a"}' })).json(),
  ).toMatchObject({ status: 400, field: 'name' })
  expect(
    (
      await face.send('/v1/units', {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: '{"name":"a"}',
      })
    ).json(),
  ).toMatchObject({ status: 400, field: 'Content-Type' })
})

test('a body that does not declare its length is taken like any other', async () => {
  const face = await startFace()
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }

  const made = await face.send('/v1/units', { method: 'POST', headers, body: '{"name":"prod/app"}' })
  const bare = await face.send('/v1/units', {
    method: 'POST',
    headers: { 'transfer-encoding': 'chunked' },
    body: '{"name":"prod/db"}',
  })

  expect(made.json()).toMatchObject({ name: 'prod/app' })
  expect([bare.status, bare.json()['field']]).toEqual([400, 'Content-Type'])
})

test('a server that is only watched counts as quiet, or else it would never come to tidy up', async () => {
  const deps = await testDeps()
  let now = 1_000
  const face = createHttpFace({ ...deps, clock: { ...systemClock, now: () => now } })
  await new Promise<void>((resolve) => face.server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await face.close(0)
    await deps.control.close()
  })
  const { port } = face.server.address() as AddressInfo

  now = 2_000
  for (const path of ['/healthz', '/readyz?x=1', '/metrics'])
    expect((await send(port, path)).status).toBe(200)
  await expect.poll(() => deps.metrics.inFlight).toBe(0)
  expect(face.lastActiveAt()).toBe(1_000)

  await send(port, '/v1/server')
  expect(face.lastActiveAt()).toBe(2_000)
})

test('a body that is malformed from its start is refused, and is no failure of the server', async () => {
  const failures: string[] = []
  const log = {
    ...silentLog,
    warn: (what: string) => failures.push(what),
    error: (what: string) => failures.push(what),
  }
  const face = await startFace({ log })
  await face.send('/healthz')
  for (const [path, status] of [
    ['/healthz', 405],
    ['/v1/units', 400],
    ['/v1/backend/default/a', 400],
  ] as const) {
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n`
    for (const rest of ['chunked\r\n\r\nzz\r\n', 'xchunked\r\n\r\n0\r\n\r\n'])
      expect((await sendRaw(face.port, `${head}Transfer-Encoding: ${rest}`)).status).toBe(status)
  }

  expect(failures).toEqual([])
})
