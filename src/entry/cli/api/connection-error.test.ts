import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { isForTls, noAnswer } from './connection-error.ts'
import { testServer, testWorld } from '../../../../test/support/cli.ts'

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function told(address: string): Promise<string> {
  const world = testWorld()
  onTestFinished(world.dispose)
  expect(await world.run('org', 'ls', '--server', address)).toBe(6)
  expect(world.err()).not.toMatch(/EPROTO|SSL|HPE|hang up|Parse/)
  return world.err()
}

test('https at a server that speaks plain HTTP says so, and what to try', async () => {
  const server = await testServer((_, res) => res.end('{}'))
  onTestFinished(server.close)

  const said = await told(server.url.replace('http:', 'https:'))

  expect(said).toContain('it does not speak TLS')
  expect(said).toContain(`hint: Try ${server.url} instead.\n`)
})

test('http at a server that speaks TLS names https, however that server takes it', async () => {
  const resetting = createTlsServer({})
  const alerting = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.from('15030100020246', 'hex')))
  })
  for (const server of [resetting, alerting]) {
    const port = await portOf(server)
    expect(await told(`http://127.0.0.1:${port}`)).toContain(`ry https://127.0.0.1:${port}`)
  }
})

test.each([
  ['nginx', '<html><h1>400 Bad Request</h1>The plain HTTP request was sent to HTTPS port</html>'],
  ['Go', 'Client sent an HTTP request to an HTTPS server.\n'],
  ['Apache', "<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />"],
])('what %s says to plain HTTP at a TLS port is understood', async (_, body) => {
  const server = await testServer((_heard, res) => {
    res.writeHead(400, { 'content-type': body.startsWith('<') ? 'text/html' : 'text/plain' }).end(body)
  })
  onTestFinished(server.close)

  const said = await told(server.url)

  expect(said).toContain('it expects TLS, not plain HTTP')
  expect(said).toContain(`hint: Try ${server.url.replace('http:', 'https:')} instead.\n`)
})

test('a server whose headers are too long is not said to want TLS', async () => {
  const server = createServer((socket) => {
    const answer = `HTTP/1.1 200 OK\r\na: ${'x'.repeat(100_000)}\r\n\r\n{}`
    socket.on('error', () => {}).once('data', () => socket.end(answer))
  })
  const world = testWorld()
  onTestFinished(world.dispose)

  expect(await world.run('org', 'ls', '--server', `http://127.0.0.1:${await portOf(server)}`)).toBe(6)
  expect(world.err()).toContain('Header overflow')
  expect(world.err()).not.toContain('ry https:')
})

test('nobody is sent to the address that was asked', () => {
  const asked = 'https://127.0.0.1:1'
  const notHttp = Object.assign(new Error('Parse Error: Expected HTTP/'), { code: 'HPE_INVALID_CONSTANT' })

  expect(noAnswer(notHttp, asked, true).hint).not.toContain(asked)
  // As a proxy hands it on from the server behind it.
  expect(isForTls('The plain HTTP request was sent to HTTPS port', asked)).toBe(false)
})
