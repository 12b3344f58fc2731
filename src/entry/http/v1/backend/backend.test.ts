import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { type TestFace, startFace } from '../../../../../test/rig/http-face.ts'

const address = '/v1/backend/default/prod/network/vpc'
const md5 = (text: string) => createHash('md5').update(text).digest('base64')

function stateOf(serial: number, more = ''): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'aaaa',
    outputs: {},
    resources: [],
    more,
  })
}

function lockInfo(id: string): string {
  return JSON.stringify({
    ID: id,
    Operation: 'OperationTypeApply',
    Info: '',
    Who: 'alice@laptop',
    Version: '1.11.4',
    Created: '2026-01-02T03:04:05Z',
    Path: '',
  })
}

function post(face: TestFace, text: string, query = '', headers: Record<string, string> = {}) {
  return face.send(`${address}${query}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', 'content-md5': md5(text), ...headers },
  })
}

const lock = (face: TestFace, id: string) => face.send(address, { method: 'LOCK', body: lockInfo(id) })
const unlock = (face: TestFace, body: string) => face.send(address, { method: 'UNLOCK', body })

test('the whole life of an apply, byte for byte', async () => {
  const face = await startFace()

  expect((await face.send(address)).status).toBe(404)
  expect((await lock(face, 'one')).status).toBe(200)
  expect((await post(face, stateOf(1), '?ID=one')).status).toBe(200)
  expect((await unlock(face, lockInfo('one'))).status).toBe(200)

  const read = await face.send(address)
  expect(read.status).toBe(200)
  expect(read.text).toBe(stateOf(1))
  expect(read.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(read.headers['x-request-id']).toMatch(/^req-/)
})

test('a held lock is answered with 423 and the lock info of its holder, as the CLIs print it', async () => {
  const face = await startFace()
  await lock(face, 'one')

  const refused = await lock(face, 'two')

  expect(refused.status).toBe(423)
  expect(refused.headers['content-type']).toBe('application/json')
  expect(refused.json()).toMatchObject({
    ID: 'one',
    Operation: 'OperationTypeApply',
    Who: 'alice@laptop',
    Created: '2026-01-02T03:04:05Z',
  })
})

test('a write without the lock, or with another, is answered with the holder and writes nothing', async () => {
  const face = await startFace()
  await lock(face, 'one')

  for (const query of ['', '?ID=two']) {
    const refused = await post(face, stateOf(1), query)
    expect([409, 423]).toContain(refused.status)
    expect(refused.json()).toMatchObject({ ID: 'one' })
  }
  expect((await face.send(address)).status).toBe(404)
})

test('replays of LOCK, POST and UNLOCK after a lost answer all succeed', async () => {
  const face = await startFace()

  for (let i = 0; i < 2; i++) expect((await lock(face, 'one')).status).toBe(200)
  for (let i = 0; i < 2; i++) expect((await post(face, stateOf(1), '?ID=one')).status).toBe(200)
  for (let i = 0; i < 2; i++) expect((await unlock(face, lockInfo('one'))).status).toBe(200)
})

test('UNLOCK of somebody else is refused with the holder', async () => {
  const face = await startFace()
  await lock(face, 'one')

  const refused = await unlock(face, lockInfo('two'))

  expect(refused.status).toBe(409)
  expect(refused.json()).toMatchObject({ ID: 'one' })
  expect((await lock(face, 'one')).status).toBe(200)
})

test.each([
  ['terraform, which sends no body at all', ''],
  [
    'tofu, which sends nothing but the id',
    JSON.stringify({
      ID: 'one',
      Operation: '',
      Info: '',
      Who: '',
      Version: '',
      Created: '0001-01-01T00:00:00Z',
      Path: '',
    }),
  ],
])('force-unlock of %s breaks the lock', async (_, body) => {
  const face = await startFace()
  await lock(face, 'one')

  for (let i = 0; i < 2; i++) expect((await unlock(face, body)).status).toBe(200)

  expect((await lock(face, 'two')).status).toBe(200)
})

test('without a lock anywhere a POST without an id is taken', async () => {
  const face = await startFace()

  expect((await post(face, stateOf(1))).status).toBe(200)
})

test('PUT is POST, and HEAD is GET without the bytes', async () => {
  const face = await startFace()
  const text = stateOf(1)

  expect((await face.send(address, { method: 'PUT', body: text })).status).toBe(200)

  const head = await face.send(address, { method: 'HEAD' })
  expect(head).toMatchObject({ status: 200, text: '' })
  expect(head.headers['content-length']).toBe(String(text.length))
})

test('DELETE answers 200, again too', async () => {
  const face = await startFace()
  await post(face, stateOf(1))

  for (let i = 0; i < 2; i++) expect((await face.send(address, { method: 'DELETE' })).status).toBe(200)

  expect((await face.send(address)).status).toBe(404)
})

test.each([
  ['what is not JSON', '{"version": 4, oops', {}, 'STATE_NOT_JSON'],
  ['an empty body', '', {}, 'STATE_NOT_JSON'],
  ['a wrong Content-MD5', stateOf(1), { 'content-md5': md5('other') }, 'STATE_DIGEST'],
])('%s is refused and nothing is written', async (_, body, headers, code) => {
  const face = await startFace()

  const refused = await post(face, body, '', { 'content-md5': md5(body), ...headers })

  expect(refused.status).toBe(400)
  expect(refused.headers['content-type']).toBe('application/problem+json')
  expect(refused.json()).toMatchObject({ code, requestId: refused.headers['x-request-id'] })
  expect((await face.send(address)).status).toBe(404)
})

test('a lock info without an ID is refused, naming it', async () => {
  const face = await startFace()

  const refused = await face.send(address, { method: 'LOCK', body: '{"Who":"x"}' })

  expect(refused.json()).toMatchObject({ status: 400, field: 'ID' })
})

test.each([
  '/v1/backend/default/../../../etc/passwd',
  '/v1/backend/default/%2e%2e/%2e%2e/x',
  '/v1/backend/default/a%2f..%2fb',
  '/v1/backend/default/a%2Fb',
  '/v1/backend/default/.taco/orgs',
  '/v1/backend/default//a',
  '/v1/backend/default/a/',
  '/v1/backend/default/a%00b',
  '/v1/backend/default/%',
])('%s is refused for every method, naming the unit', async (path) => {
  const face = await startFace()

  for (const method of ['GET', 'POST', 'DELETE', 'LOCK', 'UNLOCK']) {
    const body = method === 'POST' ? stateOf(1) : method.endsWith('LOCK') ? lockInfo('x') : ''
    const refused = await face.send(path, { method, body })
    expect(refused.json()).toMatchObject({ status: 400, code: 'BAD_REQUEST', field: 'unit' })
  }
})

test('other methods are not taken', async () => {
  const face = await startFace()

  const refused = await face.send(address, { method: 'PATCH', body: 'x' })

  expect(refused.status).toBe(405)
  expect(refused.headers.allow).toContain('UNLOCK')
})

/** What comes back for bytes sent as they are; the sending side is closed after them if `end`. */
function raw(port: number, text: string, end: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      end ? socket.end(text) : socket.write(text),
    )
    let got = ''
    socket.on('data', (part) => {
      got += part.toString()
      if (!end && got.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('close', () => resolve(got))
    socket.on('error', reject)
  })
}

test('an upload that breaks off is refused and never written', async () => {
  const face = await startFace()
  const whole = stateOf(1)
  const headers = `POST ${address} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${whole.length + 10}\r\n\r\n`

  const answer = await raw(face.port, headers + whole, true)

  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({
    code: 'STATE_TRUNCATED',
    field: 'body',
    hint: expect.stringContaining('Send it again'),
    requestId: /x-request-id: (\S+)/.exec(answer)?.[1],
  })
  expect((await face.send('/metrics')).text).toContain('method="POST",status="400"')
  expect((await face.send(address)).status).toBe(404)
})

test('Expect: 100-continue is answered before the body, and refusals come instead of it', async () => {
  const face = await startFace({ limits: { maxStateBytes: 100 } })
  const head = (length: number) =>
    `POST ${address} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`

  expect(await raw(face.port, head(50), false)).toMatch(/^HTTP\/1\.1 100 Continue/)
  const refused = await raw(face.port, head(5000), true)
  expect(refused).toMatch(/^HTTP\/1\.1 413 /)
  expect(refused.toLowerCase()).toContain('connection: close')
})

test('too large a state is refused, declared or not, and the answer can be read', async () => {
  const face = await startFace({ limits: { maxStateBytes: 1_000_000 } })
  const body = Buffer.from(stateOf(1, 'x'.repeat(30_000_000)))

  const declared = await face.send(address, { method: 'POST', body })
  const chunked = await face.send(address, {
    method: 'POST',
    body,
    headers: { 'transfer-encoding': 'chunked' },
  })

  for (const refused of [declared, chunked]) {
    expect(refused.json()).toMatchObject({
      status: 413,
      code: 'TOO_LARGE',
      hint: expect.stringMatching(/--max-state\b(?!-)/),
    })
  }
})

test('a large state comes back whole', async () => {
  const face = await startFace()
  const body = stateOf(1, 'x'.repeat(3_000_000))

  await post(face, body)

  expect((await face.send(address)).text === body).toBe(true)
})

test('If-None-Match with the tag of the state is answered with 304', async () => {
  const face = await startFace()
  await post(face, stateOf(1))
  const { etag = '' } = (await face.send(address)).headers

  const again = await face.send(address, { headers: { 'if-none-match': etag } })
  const changed = await face.send(address, { headers: { 'if-none-match': '"other"' } })

  expect(again).toMatchObject({ status: 304, text: '' })
  expect(changed.status).toBe(200)
})

test.each([
  ['DELETE', '?force=maybe', 'force'],
  ['DELETE', '?forced=true', 'forced'],
  ['POST', '?id=x', 'id'],
  ['GET', '?ref=main', 'ref'],
  ['LOCK', '?force=true', 'force'],
])('%s with %s is refused, naming %s', async (method, query, field) => {
  const face = await startFace()

  const body = method === 'GET' || method === 'DELETE' ? '' : lockInfo('x')
  const refused = await face.send(`${address}${query}`, { method, body })

  expect(refused.json()).toMatchObject({ status: 400, code: 'BAD_REQUEST', field, hint: expect.any(String) })
})

test.each([
  ['not json', 'body'],
  ['{}', 'ID'],
  ['[]', 'body'],
])('the lock info %s is refused with a hint', async (body, field) => {
  const face = await startFace()

  const refused = await face.send(address, { method: 'LOCK', body })

  expect(refused.json()).toMatchObject({ status: 400, code: 'BAD_REQUEST', field, hint: expect.any(String) })
})

test.each([
  ['far too large', JSON.stringify({ ID: 'a', Info: 'x'.repeat(1_000_000) }), 413, 'TOO_LARGE'],
  ['a little too large', JSON.stringify({ ID: 'a', Info: 'x'.repeat(65_536) }), 413, 'TOO_LARGE'],
  ['deep', `{"ID":"a","x":${'['.repeat(15_000)}${']'.repeat(15_000)}}`, 400, 'BAD_REQUEST'],
  ['deep in objects', `{"ID":"a","x":${'{"y":'.repeat(9_000)}1${'}'.repeat(9_000)}}`, 400, 'BAD_REQUEST'],
  ['deep and not even whole', '['.repeat(60_000), 400, 'BAD_REQUEST'],
])('a lock info that is %s is refused by LOCK and UNLOCK', async (_, body, status, code) => {
  const face = await startFace()

  for (const method of ['LOCK', 'UNLOCK']) {
    const refused = await face.send(address, { method, body })
    expect(refused.json()).toMatchObject({ status, code, hint: expect.any(String) })
  }
  expect((await face.send('/v1/units')).json()['items']).toEqual([])
})

test('a lock info with brackets in its text, or some levels of its own, is taken', async () => {
  const face = await startFace()
  const info = { ID: 'a', Info: '[{"\\"'.repeat(500), Extra: { a: [[[{ b: '}' }]]] } }

  const locked = await face.send(address, { method: 'LOCK', body: JSON.stringify(info) })

  expect(locked.json()).toMatchObject(info)
})
