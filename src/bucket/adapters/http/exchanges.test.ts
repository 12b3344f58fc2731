import { once } from 'node:events'
import net from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createAnswerReader } from './answer-reader.ts'
import { openExchanges } from './exchanges.ts'

const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** A server that hears what was sent on each connection and answers as the test says. */
async function serve(
  answer: (text: string, socket: net.Socket, connection: number) => void,
  idleTimeoutMs = 20_000,
) {
  let connections = 0
  const open = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    const number = ++connections
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => answer(chunk.toString('latin1'), socket, number))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  const exchanges = openExchanges({ secure: false, hostname: '127.0.0.1', port }, idleTimeoutMs)
  endings.push(() => {
    exchanges.close()
    for (const socket of open) socket.destroy()
    server.close()
  })
  return {
    send: (request: Partial<Parameters<typeof exchanges.send>[0]> = {}) =>
      exchanges.send({ method: 'PUT', target: '/key', headers: { host: 'store' }, ...request }),
    connections: () => connections,
    close: () => exchanges.close(),
  }
}

const OK = 'HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: 0\r\n\r\n'

const answers: Record<string, { bytes: string; method?: string; text: string; reusable?: boolean }> = {
  'with a length': { bytes: 'HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\n\r\ngone!', text: 'gone!' },
  'in chunks': {
    bytes: 'HTTP/1.1 409 C\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n',
    text: 'abc0123456789',
  },
  'in chunks with a trailer': {
    bytes: 'HTTP/1.1 409 C\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx: y\r\n\r\n',
    text: 'abc',
  },
  'after a 100': {
    bytes: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\ncontent-length: 1\r\n\r\n!',
    text: '!',
  },
  'to HEAD': { bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n', method: 'HEAD', text: '' },
  'without content': { bytes: 'HTTP/1.1 204 No Content\r\n\r\n', text: '' },
  'that closes': {
    bytes: 'HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 1\r\n\r\n!',
    text: '!',
    reusable: false,
  },
  'of an old server': { bytes: 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n!', text: '!', reusable: false },
}

test.each(Object.entries(answers))('an answer %s is read, wherever it is cut', (_, expected) => {
  const bytes = Buffer.from(expected.bytes, 'latin1')
  for (let cut = 0; cut < bytes.length; cut++) {
    const reader = createAnswerReader()
    reader.expect(expected.method ?? 'PUT')
    const early = cut === 0 ? undefined : reader.push(bytes.subarray(0, cut))
    expect(early, `after ${cut} bytes`).toBeUndefined()
    expect(reader.push(bytes.subarray(cut)), `cut at ${cut}`).toMatchObject({
      text: expected.text,
      isReusable: expected.reusable ?? true,
    })
  }
})

test('an answer without a length ends with the connection; one that breaks off is none', () => {
  const reader = createAnswerReader()
  reader.expect('PUT')
  expect(reader.push(Buffer.from('HTTP/1.1 503 Busy\r\n\r\nlater'))).toBeUndefined()
  expect(reader.end()).toMatchObject({ status: 503, text: 'later', isReusable: false })
  reader.expect('PUT')
  expect(reader.push(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhal'))).toBeUndefined()
  expect(reader.end()).toBeUndefined()
})

test('a long answer is cut, and its connection not used again', () => {
  const reader = createAnswerReader()
  reader.expect('PUT')
  const long = Buffer.from(`HTTP/1.1 500 Oops\r\ncontent-length: 1000000\r\n\r\n${'x'.repeat(70_000)}`)
  expect(reader.push(long)).toMatchObject({ status: 500, isReusable: false })
})

test.each([
  'SSH-2.0-x\r\n\r\n',
  'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
])('what is not HTTP is refused: %j', (text) => {
  const reader = createAnswerReader()
  reader.expect('PUT')
  expect(() => reader.push(Buffer.from(text))).toThrow('not HTTP')
})

test('requests follow each other on one connection, byte for byte', async () => {
  const heard: string[] = []
  const server = await serve((text, socket) => {
    heard.push(text)
    socket.write(OK)
  })
  const first = await server.send({
    body: Buffer.from('state'),
    headers: { host: 'store', 'content-length': '5' },
  })
  await server.send({ method: 'HEAD' })
  expect(first).toMatchObject({ status: 200, headers: { etag: '"a"' } })
  expect(heard).toEqual([
    'PUT /key HTTP/1.1\r\nhost: store\r\ncontent-length: 5\r\n\r\nstate',
    'HEAD /key HTTP/1.1\r\nhost: store\r\n\r\n',
  ])
  expect(server.connections()).toBe(1)
})

test('a large body arrives whole', async () => {
  let got = ''
  const body = Buffer.alloc(300_000, 'ab')
  const server = await serve((text, socket) => {
    got += text
    if (got.endsWith('END')) socket.write(OK)
  })
  await server.send({ body: Buffer.concat([body, Buffer.from('END')]) })
  expect(got.slice(got.indexOf('\r\n\r\n') + 4)).toBe(`${body.toString()}END`)
})

test('a connection that the server closed while it was free is not used again', async () => {
  const server = await serve((_text, socket) => socket.end(OK))
  await server.send()
  await expect.poll(() => server.send().then(({ status }) => status)).toBe(200)
  expect(server.connections()).toBeGreaterThan(1)
})

test('bytes that nobody asked for are not taken for the next answer', async () => {
  const server = await serve((_text, socket, connection) => {
    socket.write(OK)
    if (connection === 1) setImmediate(() => socket.write('HTTP/1.1 412 No\r\ncontent-length: 0\r\n\r\n'))
  })
  await server.send()
  await expect.poll(async () => [(await server.send()).status, server.connections()]).toEqual([200, 2])
})

test('a server that hangs up or breaks off is an error that can be retried', async () => {
  const server = await serve((text, socket) => {
    if (text.includes('/reset')) socket.resetAndDestroy()
    if (text.includes('/half')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhal')
  })
  await expect(server.send({ target: '/reset' })).rejects.toMatchObject({ code: 'ECONNRESET' })
  await expect(server.send({ target: '/half' })).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('a server that says nothing is given up', async () => {
  const server = await serve(() => undefined, 100)
  await expect(server.send()).rejects.toMatchObject({ code: 'ETIMEDOUT' })
})

test('one who gives up gets an error at once, and nobody else does', async () => {
  const giving = new AbortController()
  const server = await serve((text, socket) => {
    if (!text.includes('/slow')) socket.write(OK)
    else giving.abort()
  })
  const slow = server.send({ target: '/slow', signal: giving.signal })
  await expect(slow).rejects.toThrow('aborted')
  expect(await server.send({ signal: new AbortController().signal })).toMatchObject({ status: 200 })
})

test('more requests than connections wait for their turn', async () => {
  const server = await serve((_text, socket) => void setImmediate(() => socket.write(OK)))
  const all = await Promise.all(Array.from({ length: 300 }, () => server.send()))
  expect(all.every(({ status }) => status === 200)).toBe(true)
  expect(server.connections()).toBeLessThanOrEqual(128)
})

test('a value cannot bring headers of its own', async () => {
  const server = await serve((_text, socket) => socket.write(OK))
  const smuggled = { host: 'store', 'if-match': '"a"\r\nx-amz-acl: public-read' }
  await expect(server.send({ headers: smuggled })).rejects.toThrow('character')
  await expect(server.send({ target: '/a b' })).rejects.toThrow('character')
  expect(server.connections()).toBe(0)
})

test('closing ends what is under way', async () => {
  const server = await serve(() => server.close())
  await expect(server.send()).rejects.toMatchObject({ code: 'ECONNRESET' })
})
