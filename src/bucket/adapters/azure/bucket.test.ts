import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { bodyOf } from '../../body.ts'
import type { GetOptions, Tag } from '../../bucket.ts'
import { storePatience } from '../../../base/retry.ts'
import { openAzureBucket } from './bucket.ts'
import { answer, page, storeThatAnswers, tenBytes } from '../../../../test/support/store-answers.ts'

async function answeredBy(...answers: readonly RequestListener[]) {
  const endpoint = await storeThatAnswers(...answers)
  return openAzureBucket({
    container: 'states',
    connectionString: `DefaultEndpointsProtocol=http;AccountName=x;AccountKey=eA==;BlobEndpoint=${endpoint}/x;`,
    retry: { attempts: 2, baseMs: 1, maxMs: 1 },
  })
}

const tag = 'abc' as Tag
const id = { 'x-ms-request-id': '1' }

test('a 404 that does not come from the store does not mean that the object is missing', async () => {
  const bucket = await answeredBy((_, response) => response.writeHead(404).end('404 page not found\n'))
  const refused = { code: 'BUCKET_UNAVAILABLE', facts: { status: 404 } }

  await expect(bucket.get('a')).rejects.toMatchObject(refused)
  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(refused)
  await expect(bucket.delete('a', tag)).rejects.toMatchObject(refused)
})

test('an answer without a tag is neither an object nor the receipt of a write', async () => {
  const bucket = await answeredBy(({ method }, response) =>
    response.writeHead(method === 'PUT' ? 201 : 200, { ...id, 'content-length': '0' }).end(),
  )
  const refused = { code: 'BUCKET_UNAVAILABLE', message: expect.stringContaining('no tag for "a"') }

  await expect(bucket.get('a')).rejects.toMatchObject(refused)
  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(refused)
})

test('an object of unknown length is not taken for an empty one', async () => {
  const bucket = await answeredBy((_, response) =>
    response.writeHead(200, { ...id, etag: '"tag"', 'transfer-encoding': 'chunked' }).end('half'),
  )
  const refused = { code: 'BUCKET_UNAVAILABLE', message: expect.stringContaining('the size of "a"') }

  await expect(bucket.get('a')).rejects.toMatchObject(refused)
})

const object = { ...id, etag: '"tag"' }
const { brokenOff, part } = tenBytes(object)

test.each<[string, readonly RequestListener[], GetOptions?]>([
  ['a page', [page]],
  ['a part where the whole was asked for', [part('0-4/10', '01234')]],
  [
    'the whole where a part was asked for',
    [answer(200, object, '0123456789')],
    { range: { start: 2, end: 5 } },
  ],
  ['another part', [part('0-3/10', '0123')], { range: { start: 2, end: 5 } }],
  ['a shorter part', [part('2-4/10', '234')], { range: { start: 2, end: 5 } }],
  ['that nothing changed, unasked', [answer(304, id)]],
  ['that nothing changed, without a sign of the store', [answer(304)], { ifNoneMatch: tag }],
  [
    'that nothing is there, where something is',
    [answer(416, id), answer(200, { ...object, 'content-length': '10' })],
  ],
  ['a half, again and again', [brokenOff]],
  ['a half, then a page', [brokenOff, page]],
  ['a half, then another part', [brokenOff, part('0-4/10', '01234')]],
  ['a half, then a part of another object', [brokenOff, part('5-9/11', '56789')]],
  [
    'a half, then a part of another object of the same size',
    [brokenOff, answer(206, { ...id, etag: '"other"', 'content-range': 'bytes 5-9/10' }, '56789')],
  ],
  ['a half, then that it was replaced', [brokenOff, answer(412, id)]],
])('a get that is answered with %s gives no bytes', async (_, answers, options = {}) => {
  const bucket = await answeredBy(...answers)

  const bytes = async () => {
    const found = await bucket.get('a', options)
    return typeof found === 'object' ? found.bytes() : found
  }

  await expect(bytes()).rejects.toMatchObject({ code: 'BUCKET_UNAVAILABLE' })
})

test('an answer that breaks off is picked up where it broke', async () => {
  const bucket = await answeredBy(brokenOff, part('5-9/10', '56789'))

  expect((await (await bucket.get('a'))?.bytes())?.toString()).toBe('0123456789')
})

test('an answer that breaks off before it is read is requested again', async () => {
  const bucket = await answeredBy(brokenOff, answer(200, object), part('0-9/10', '0123456789'))

  const found = await bucket.get('a')
  // The rest of the first answer has arrived by the time of the next one.
  await bucket.head('b')

  expect((await found?.bytes())?.toString()).toBe('0123456789')
})

test('an answer from someone else completes neither a look, nor a write, nor a delete', async () => {
  const refused = { code: 'BUCKET_UNAVAILABLE' }
  for (const status of [200, 201, 202, 412]) {
    const bucket = await answeredBy(answer(status, { etag: '"5f"' }, '<html></html>'))
    await expect(bucket.put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(refused)
    await expect(bucket.delete('a', tag)).rejects.toMatchObject(refused)
  }
  const bucket = await answeredBy(page)
  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused)
})

test('a request to a store that hangs fails and gives that reason', async () => {
  const endpoint = await storeThatAnswers(() => {})
  const bucket = await openAzureBucket({
    container: 'states',
    connectionString: `DefaultEndpointsProtocol=http;AccountName=x;AccountKey=eA==;BlobEndpoint=${endpoint}/x;`,
    ...storePatience(600),
  })
  const refused = { code: 'BUCKET_UNAVAILABLE', message: expect.stringContaining('no data arrived for') }

  await expect(bucket.get('a')).rejects.toMatchObject(refused)
  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(refused)
  await expect(bucket.delete('a', tag)).rejects.toMatchObject(refused)
})
