import { expect, test } from 'vitest'
import { bodyOf } from '../../body.ts'
import type { Tag } from '../../bucket.ts'
import { refusal, scripted } from './testing.ts'
import type { Answer } from './testing.ts'

const tag = 'abc' as Tag

test('a listing that breaks off where nobody said how long it is does not pass for a short one', async () => {
  const half = '<ListBucketResult><Contents><Key>a</Key></Contents><Contents><Key>b</K'
  const { bucket } = await scripted([
    ({ socket }) => void socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${half}`),
  ])

  await expect(bucket.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
  })
})

test('an object of which nobody says how long it is does not pass for an empty one', async () => {
  const unsized: Answer = (request, response) => {
    response.writeHead(200, { etag: '"tag"', 'transfer-encoding': 'chunked' })
    if (request.method === 'HEAD') response.end()
    else response.write('half', () => request.socket.destroy())
  }
  const { bucket } = await scripted([unsized])
  const refused = { code: 'BUCKET_UNAVAILABLE', message: expect.stringContaining('how long "a" is') }

  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.get('a')).rejects.toMatchObject(refused)
})

test("a 404 that is not the store's own does not say that there is no object", async () => {
  const proxy: Answer = (_, response) => response.writeHead(404).end('404 page not found\n')
  const { bucket } = await scripted([proxy])
  const refused = { code: 'BUCKET_UNAVAILABLE', facts: { status: 404 } }

  await expect(bucket.get('a')).rejects.toMatchObject(refused)
  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.put('a', bodyOf('x'), tag)).rejects.toMatchObject(refused)
  await expect(
    bucket.withAbilities({ ...bucket.can, conditionalDelete: true }).delete('a', tag),
  ).rejects.toMatchObject(refused)
})

test('what a proxy says to a look, and the store that is back does not, is not believed', async () => {
  const proxy: Answer = (_, response) => response.writeHead(404).end()
  const { bucket } = await scripted([
    proxy,
    (_, response) => response.writeHead(200, { etag: '"tag"', 'content-length': '5' }).end('state'),
  ])

  expect(await bucket.head('a')).toMatchObject({ key: 'a', tag: 'tag', size: 5 })
})

test.each<[string, Answer]>([
  ['with a document', refusal(404, 'NoSuchKey')],
  ['with nothing but an id', (_, response) => response.writeHead(404, { 'x-amz-request-id': '1' }).end()],
])('a store says %s that there is no object', async (_, answer) => {
  const { bucket } = await scripted([answer])

  expect(await bucket.get('a')).toBeUndefined()
  expect(await bucket.head('a')).toBeUndefined()
  expect(await bucket.put('a', bodyOf('x'), tag)).toEqual({ kind: 'conflict' })
  expect(await bucket.delete('a', tag)).toBe('absent')
})

test('a page that somebody else answers with is neither an object nor the receipt of one', async () => {
  const page: Answer = (_, response) => response.writeHead(200, { 'content-length': '7' }).end('Welcome')
  const { bucket } = await scripted([page])
  const refused = { code: 'BUCKET_UNAVAILABLE', message: expect.stringContaining('no tag of "a"') }

  await expect(bucket.get('a')).rejects.toMatchObject(refused)
  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(refused)
})
