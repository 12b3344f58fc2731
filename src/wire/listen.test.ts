import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listenOn, parseListen } from './listen.ts'

test.each([
  ['127.0.0.1:8226', '127.0.0.1', 8226],
  ['[::1]:80', '::1', 80],
  ['localhost:0', 'localhost', 0],
  [':8226', '', 8226],
  ['8226', '', 8226],
])('%s is an address to listen on', (text, host, port) => {
  expect(parseListen(text)).toEqual({ host, port })
})

test.each(['', '127.0.0.1', '::1:80', 'a b:80', '127.0.0.1:99999', 'http://x:80'])(
  '"%s" is not an address',
  (text) => {
    expect(() => parseListen(text)).toThrow('not a listen address')
  },
)

test('a port in use is reported as such', async () => {
  const first = createServer()
  const { port } = await listenOn(first, { host: '127.0.0.1', port: 0 })

  await expect(listenOn(createServer(), { host: '127.0.0.1', port })).rejects.toThrow(
    'another program already uses this address',
  )

  first.close()
})
