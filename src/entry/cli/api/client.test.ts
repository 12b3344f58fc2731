import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { TacoError } from '../../../base/errors.ts'
import { jsonLines, ofWholeServer, openClient, unitPath } from './client.ts'
import type { Client } from './client.ts'
import { exitCodeOf } from '../terminal/exit-codes.ts'
import { sendJson, testServer } from '../../../../test/support/cli.ts'
import type { TestServer } from '../../../../test/support/cli.ts'

function clientOf(base: string, org?: string, token?: string): Client {
  const client = openClient({ base, org, label: base, token, userAgent: 'taco/test' })
  onTestFinished(client.close)
  return client
}

async function serverThat(answer: Parameters<typeof testServer>[0]): Promise<TestServer> {
  const server = await testServer(answer)
  onTestFinished(server.close)
  return server
}

async function failure(work: Promise<unknown>): Promise<TacoError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof TacoError) return error
  throw new Error(`no TacoError: ${String(error)}`)
}

test('the token, the organization and repeated query values go along', async () => {
  const server = await serverThat((_heard, res) => sendJson(res, { ok: true }))
  const client = clientOf(`${server.url}/prefix`, 'acme', 'secret')

  await client.json('GET', '/v1/units', { query: { label: ['a=1', 'b=2'], limit: 5, cursor: undefined } })

  expect(server.heard[0]).toMatchObject({
    url: '/prefix/v1/units?org=acme&label=a%3D1&label=b%3D2&limit=5',
    headers: { authorization: 'Bearer secret', 'user-agent': 'taco/test' },
  })
  await client.json('GET', '/v1/server', { query: ofWholeServer })
  expect(server.heard[1]).toMatchObject({ url: '/prefix/v1/server' })
})

test('a problem document becomes the error it describes', async () => {
  const problem = {
    title: 'Locked',
    status: 423,
    code: 'LOCKED',
    detail: 'locked by bob',
    hint: 'wait',
    requestId: 'req-9',
    holder: { ID: 'x' },
  }
  const server = await serverThat((_heard, res) => sendJson(res, problem, 423))

  const error = await failure(clientOf(server.url).json('GET', '/'))

  expect(error).toMatchObject({
    code: 'LOCKED',
    message: 'locked by bob',
    hint: 'wait',
    facts: { requestId: 'req-9', holder: { ID: 'x' } },
  })
  expect(exitCodeOf(error)).toBe(4)
})

test.each([
  [401, 'UNAUTHENTICATED', 5],
  [403, 'FORBIDDEN', 5],
  [404, 'NOT_FOUND', 3],
  [502, 'BUCKET_UNAVAILABLE', 6],
  [500, 'UNEXPECTED', 1],
])('an answer %d of something in between is understood by its status', async (status, code, exitCode) => {
  const server = await serverThat((_heard, res) => {
    res.writeHead(status, { 'content-type': 'text/html' }).end('<html>proxy</html>')
  })

  const error = await failure(clientOf(server.url).json('GET', '/'))

  expect(error.code).toBe(code)
  expect(error.message).not.toContain('<html>')
  expect(error.hint).toBeTruthy()
  expect(exitCodeOf(error)).toBe(exitCode)
})

test('a code that this version does not know is judged by the status', async () => {
  const server = await serverThat((_heard, res) =>
    sendJson(res, { code: 'FROM_THE_FUTURE', detail: 'strange', status: 409 }, 409),
  )

  const error = await failure(clientOf(server.url).json('GET', '/'))

  expect(error).toMatchObject({ code: 'CONFLICT', message: 'strange' })
})

test('a connection that is refused says how to start or choose a server', async () => {
  const server = await testServer((_heard, res) => res.end())
  await server.close()

  const error = await failure(clientOf(server.url).json('GET', '/'))

  expect(error.message).toContain('the connection was refused')
  expect(error.hint).toMatch(/taco serve.*taco use/)
  expect(exitCodeOf(error)).toBe(6)
})

test('an answer that is not JSON is no OpenTaco server', async () => {
  const server = await serverThat((_heard, res) => res.end('hello'))

  expect((await failure(clientOf(server.url).json('GET', '/'))).message).toBe(
    'The answer of the server is not JSON.',
  )
})

test('a redirect is not followed, and the token goes nowhere else', async () => {
  const server = await serverThat((_heard, res) =>
    res.writeHead(302, { location: 'https://elsewhere.example' }).end(),
  )

  const error = await failure(clientOf(server.url, undefined, 'secret').json('GET', '/'))

  expect(error.message).toContain('https://elsewhere.example')
  expect(server.heard).toHaveLength(1)
})

test('a refusal that comes before the upload has ended is what counts', async () => {
  const refusing = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      const body = JSON.stringify({ code: 'TOO_LARGE', detail: 'too large', status: 413 })
      socket.end(
        `HTTP/1.1 413 Too Large\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      )
    })
  })
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void refusing.close())
  const { port } = refusing.address() as AddressInfo
  const chunk = Buffer.alloc(64 * 1024)
  const content = Readable.from(
    (function* () {
      for (let i = 0; i < 64; i++) yield chunk
    })(),
  )

  const error = await failure(
    clientOf(`http://127.0.0.1:${port}`).json('PUT', '/', {
      upload: { size: 64 * chunk.length, md5: '', content },
    }),
  )

  expect(error.code).toBe('TOO_LARGE')
})

test('a server that says nothing is given up', async () => {
  const server = await serverThat(() => {})

  const error = await failure(clientOf(server.url).json('GET', '/', { idleMs: 50 }))

  expect(error.message).toContain('no data arrived for')
  expect(exitCodeOf(error)).toBe(6)
})

test('lines are put together from any pieces, and signs that are cut apart are whole again', async () => {
  const bytes = Buffer.from('{"a":"ä"}\n\n{"b":2}')
  const pieces = [...bytes].map((byte) => Buffer.from([byte]))
  const found: unknown[] = []

  for await (const line of jsonLines(Readable.from(pieces))) found.push(line)

  expect(found).toEqual([{ a: 'ä' }, { b: 2 }])
})

test('lines that are cut off in the middle are an error', async () => {
  const server = await serverThat((_heard, res) => {
    res.writeHead(200, { 'content-type': 'application/x-ndjson' })
    res.write('{"a":1}\n{"b"', () => res.destroy())
  })
  const reply = await clientOf(server.url).send('POST', '/')
  const found: unknown[] = []

  const error = await failure(
    (async () => {
      for await (const line of jsonLines(reply)) found.push(line)
    })(),
  )

  expect(found).toEqual([{ a: 1 }])
  expect(exitCodeOf(error)).toBe(6)
})

test('a unit is one path segment, and names that mean a folder are refused', () => {
  expect(unitPath('prod/network/vpc', '/lock')).toBe('/v1/units/prod--network--vpc/lock')
  expect(unitPath('a b/ü')).toBe('/v1/units/a%20b--%C3%BC')
  for (const name of ['', '.', '..']) expect(() => unitPath(name)).toThrow('is not a unit name')
})

test('a change whose answer is lost is sent once more under the same key; a read and a refusal are not', async () => {
  let answers = 0
  const server = await serverThat((heard, res) => {
    if (heard.url.includes('lost') && ++answers % 2 === 1) res.destroy()
    else sendJson(res, { ok: true })
  })
  const client = clientOf(server.url)

  expect(await client.json('POST', '/lost', { json: { a: 1 } })).toEqual({ ok: true })
  const keys = server.heard.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]])
  await failure(client.json('GET', '/lost'))
  await client.json('POST', '/fine', { json: {} })
  expect(server.heard).toHaveLength(4)
  expect(server.heard[2]?.headers).not.toHaveProperty('idempotency-key')
  expect(server.heard[3]?.headers['idempotency-key']).not.toBe(keys[0])
})
