import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { startFace } from '../../../../test/rig/http-face.ts'

/** Sends the head, then one byte after the other for as long as it is let. */
function trickle(port: number, head: string, rest: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let at = 0
  const timer = setInterval(() => socket.writable && socket.write(rest[at++ % rest.length] ?? ''), 20)
  onTestFinished(() => {
    clearInterval(timer)
    socket.destroy()
  })
  socket.on('error', () => {})
  socket.once('end', () => clearInterval(timer))
  socket.write(head)
  return text(socket)
}

// Without a look of our own, Node would come by after half a minute, which is longer than a test may take.

test('headers that trickle in are cut off', async () => {
  const face = await startFace({ limits: { headersTimeoutMs: 200, checkEveryMs: 50 } })

  const heard = await trickle(face.port, 'GET /v1/units HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ', 'x')

  expect(heard).toMatch(/^HTTP\/1\.1 408 /)
})

test('a connection over which nothing comes is cut off', async () => {
  const face = await startFace({ limits: { headersTimeoutMs: 200, checkEveryMs: 50 } })
  const socket = connect(face.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())

  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /)
})

test.each([
  ['a state', 'POST /v1/backend/default/a', 'Content-Length: 100000'],
  ['a lock info', 'LOCK /v1/backend/default/a', 'Transfer-Encoding: chunked'],
  ['a JSON document', 'POST /v1/units', 'Content-Type: application/json\r\nContent-Length: 100000'],
])('%s that trickles in is cut off', async (_, line, header) => {
  const limits = { bodyGraceMs: 200, minBodyBytesPerSecond: 10_000, checkEveryMs: 50, drainMs: 100 }
  const face = await startFace({ limits })

  const heard = await trickle(
    face.port,
    `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}\r\n\r\n`,
    header.includes('chunked') ? '1\r\n{\r\n' : ' ',
  )

  expect(heard).toMatch(/^HTTP\/1\.1 408 /)
  expect(heard).toContain('STATE_TRUNCATED')
})

test.each([
  ['within the time for every body', { bodyGraceMs: 60_000, minBodyBytesPerSecond: 1e9 }],
  ['at the rate that is asked for', { bodyGraceMs: 0, minBodyBytesPerSecond: 0 }],
])('a slow body that comes %s is taken', async (_, rules) => {
  const limits = { ...rules, checkEveryMs: 20 }
  const face = await startFace({ limits })
  const body = '{"name":"prod/app"}'
  const head = `POST /v1/units HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

  expect(await trickle(face.port, head, body)).toMatch(/^HTTP\/1\.1 201 /)
})
