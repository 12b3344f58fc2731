import { createServer, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { endTogether } from './end-together.ts'

const server = createServer((req, res) => {
  const body = Buffer.from(`${req.url}.`)
  res.writeHead(200, { 'content-length': body.length })
  endTogether(res, body)
  if (req.url === '/gone') res.socket?.destroy()
})
afterEach(() => server.close())

async function listening(): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const request = (path: string, close = false) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${close ? 'Connection: close\r\n' : ''}\r\n`

test('what was asked in one breath is answered whole and in order', async () => {
  const socket = connect(await listening(), '127.0.0.1')
  socket.write(request('/a') + request('/b') + request('/c', true))

  const answers = await text(socket)

  expect(answers.match(/\/[abc]\./g)).toEqual(['/a.', '/b.', '/c.'])
})

test('a client that went away takes no other answer with it', async () => {
  const port = await listening()
  const answerTo = (path: string) =>
    new Promise<string>((resolve) => {
      get({ port, path, agent: false }, (res) => void text(res).then(resolve)).on('error', () =>
        resolve('none'),
      )
    })

  expect(await Promise.all(['/a', '/gone', '/b'].map(answerTo))).toEqual(['/a.', 'none', '/b.'])
})
