import { rename, symlink, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { type Certificate, certificateFor } from '../../../test/rig/certificate.ts'
import { tempFolder } from '../../../test/rig/temp.ts'
import { systemClock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { openSecureListener } from './secure-server.ts'

const DAY = 86_400_000
const made = (name: string, days = 60) =>
  certificateFor([name, '127.0.0.1'], new Date(0), new Date(Date.now() + days * DAY))

async function start(first: Certificate) {
  const folder = await tempFolder()
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await writeFile(files.cert, first.cert)
  await writeFile(files.key, first.key)
  const said: string[] = []
  const note = (message: string) => void said.push(message)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const listener = await openSecureListener(files, { log, clock: systemClock, lookEveryMs: 10 })
  const server = listener.createServer({})
  server.on('request', (_, res) => res.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.close()
    server.close()
    server.closeAllConnections()
  })
  return { folder, files, said, listener, server, port: (server.address() as AddressInfo).port }
}

/** The name in the certificate that a request met. */
function nameSeen(port: number, agent = new Agent()): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', agent, rejectUnauthorized: false }, (reply) => {
      const names = (reply.socket as TLSSocket).getPeerCertificate().subjectaltname ?? ''
      reply.resume().on('end', () => resolve(names.split(',')[0]?.replace('DNS:', '') ?? ''))
    })
    asked.on('error', reject).end()
  })
}

test('a renewed certificate is used for new connections, and open ones go on', async () => {
  const { files, port, said } = await start(made('old.test'))
  const kept = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => kept.destroy())
  expect(await nameSeen(port, kept)).toBe('old.test')

  const next = made('new.test')
  await writeFile(files.cert, next.cert)
  await expect
    .poll(() => said)
    .toContain('the new TLS certificate cannot be used: the server keeps the one that it has')
  expect(await nameSeen(port)).toBe('old.test')
  await writeFile(files.key, next.key)

  await expect.poll(() => nameSeen(port)).toBe('new.test')
  expect(await nameSeen(port, kept)).toBe('old.test')
  expect(said.at(-1)).toBe('the server uses a new TLS certificate')
})

test('a link that points to another file is a renewal', async () => {
  const { folder, files, port } = await start(made('old.test'))
  const next = made('new.test')
  for (const name of ['cert', 'key'] as const) {
    await writeFile(join(folder, `${name}2.pem`), next[name])
    await symlink(`${name}2.pem`, join(folder, 'link'))
    await rename(join(folder, 'link'), files[name])
  }

  await expect.poll(() => nameSeen(port)).toBe('new.test')
})

test('plain HTTP is answered with a sentence that says what is wrong', async () => {
  const { port } = await start(made('a.test'))
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  let text = ''
  for await (const part of socket) text += String(part)

  expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*Client sent an HTTP request to an HTTPS server\.\n$/)
})

test('TLS 1.1 is refused, TLS 1.2 is not', async () => {
  const { port } = await start(made('a.test'))
  const versionWith = (version: 'TLSv1.1' | 'TLSv1.2') =>
    new Promise((resolve, reject) => {
      const socket = connectTls(
        {
          port,
          host: '127.0.0.1',
          rejectUnauthorized: false,
          minVersion: version,
          maxVersion: version,
          ciphers: 'ALL:@SECLEVEL=0',
        },
        () => {
          resolve(socket.getProtocol())
          socket.destroy()
        },
      )
      socket.on('error', reject)
    })

  await expect(versionWith('TLSv1.1')).rejects.toThrow()
  expect(await versionWith('TLSv1.2')).toBe('TLSv1.2')
})

test('closing ends connections that never began to speak TLS', async () => {
  const { port, server, listener } = await start(made('a.test'))
  const socket = connect(port, '127.0.0.1')
  const ended = new Promise((resolve) => socket.on('close', resolve))
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))))
    .toBe(1)

  const closed = new Promise((resolve) => server.close(resolve))
  listener.close()

  await Promise.all([ended, closed])
})

test.each([
  [60, []],
  [13, ['the TLS certificate expires soon']],
  [-1, ['the TLS certificate has expired']],
])('a certificate with %i days left is mentioned: %j', async (days, expected) => {
  const { said } = await start(made('a.test', days))

  expect(said).toEqual(expected)
})
