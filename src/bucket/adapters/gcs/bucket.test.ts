import { gunzipSync, gzipSync } from 'node:zlib'
import type { RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { bodyOf } from '../../body.ts'
import type { Bucket, GetOptions, Tag } from '../../bucket.ts'
import { gcsLocks, openGcsBucket } from './bucket.ts'
import { answer, page, storeThatAnswers, tenBytes } from '../../../../test/support/store-answers.ts'

async function answeredBy(...answers: readonly RequestListener[]): Promise<Bucket> {
  const bucket = await openGcsBucket({
    bucket: 'states',
    endpoint: await storeThatAnswers(...answers),
    token: 'anonymous',
  })
  onTestFinished(() => bucket.close())
  return bucket.withAbilities({ ...bucket.can, conditionalDelete: true })
}

const tag = '7' as Tag
const unavailable = { code: 'BUCKET_UNAVAILABLE' }

/** As Google words its refusals. */
function refusal(status: number, reason: string, message: string): RequestListener {
  const document = { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } }
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
}
const notFound = refusal(404, 'notFound', 'No such object: states/a')
const noBucket = refusal(404, 'notFound', 'The specified bucket does not exist.')
/** How Google answers a request for media: https://github.com/firebase/firebase-tools/pull/3647 */
const mediaNotFound: RequestListener = (_, response) =>
  response
    .writeHead(404, { 'x-guploader-uploadid': 'ADPycdst7Z', 'content-type': 'text/html; charset=UTF-8' })
    .end('No such object: states/a')
const listing: RequestListener = (_, response) => response.end('{"kind":"storage#objects"}')

/** An emulator's answer: only the path shows what was requested. */
function emulator(media: RequestListener, document: RequestListener): RequestListener {
  return (request, response) => {
    if (/\/o\?/.test(request.url ?? '') && request.method === 'GET') listing(request, response)
    else if (/alt=media/.test(request.url ?? '')) media(request, response)
    else document(request, response)
  }
}

test.each([
  ['the size of "a"', { 'x-goog-generation': '7', 'transfer-encoding': 'chunked' }],
  ['no tag for "a"', { 'content-length': '10' }],
])('an answer that does not tell all of an object is none: %s', async (said, headers) => {
  const bucket = await answeredBy((request, response) => {
    response.writeHead(200, headers).write('half', () => request.socket.destroy())
  })

  await expect(bucket.get('a')).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
    message: expect.stringContaining(said),
  })
})

test.each<[string, RequestListener]>([
  [
    'a page',
    (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>404</html>'),
  ],
  ['nothing', (_, response) => response.writeHead(404).end()],
  ['the words of a router', (_, response) => response.writeHead(404).end('404 page not found\n')],
  ['a document of another API', (_, response) => response.writeHead(404).end('{"error":{"message":"no"}}')],
])('a 404 with %s does not say that there is no object', async (_, answer) => {
  const bucket = await answeredBy(answer)
  const refused = { code: 'BUCKET_UNAVAILABLE', facts: { status: 404 } }

  await expect(bucket.get('a')).rejects.toMatchObject(refused)
  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.put('a', bodyOf('x'), tag)).rejects.toMatchObject(refused)
  await expect(bucket.delete('a', tag)).rejects.toMatchObject(refused)
  await expect(bucket.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused)
})

test.each<[string, RequestListener]>([
  ['with its id where media are asked for', emulator(mediaNotFound, notFound)],
  ['with a document', emulator(notFound, notFound)],
  [
    'with a document only where no media are asked for',
    emulator((_, r) => r.writeHead(404).end('Not Found\n'), notFound),
  ],
])('the store says %s that there is no object', async (_, answer) => {
  const bucket = await answeredBy(answer)

  expect(await bucket.get('a')).toBeUndefined()
  expect(await bucket.head('a')).toBeUndefined()
  expect(await bucket.delete('a', tag)).toBe('absent')
})

test("a proxy's answer about an existing object is not believed", async () => {
  const proxy: RequestListener = (_, response) => response.writeHead(404).end()
  const found: RequestListener = (_, response) => response.end('{"name":"a","generation":"7","size":"5"}')
  const bucket = await answeredBy(proxy, found)

  await expect(bucket.get('a')).rejects.toMatchObject(unavailable)
})

test.each<[string, RequestListener]>([
  ['says so', noBucket],
  // https://github.com/googleapis/nodejs-storage/issues/1183
  ['says only that it has no such object', notFound],
])('a bucket that does not exist is no absent object where the store %s', async (_, answer) => {
  const refused = { code: 'BUCKET_REFUSED', message: 'The bucket gs://states does not exist.' }

  await expect((await answeredBy(answer)).get('a')).rejects.toMatchObject(refused)
  await expect((await answeredBy(answer)).head('a')).rejects.toMatchObject(refused)
  await expect((await answeredBy(answer)).delete('a', tag)).rejects.toMatchObject(refused)
  await expect((await answeredBy(answer)).put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(refused)
})

test('the existence of the bucket is checked once', async () => {
  const requests: string[] = []
  const store = emulator(mediaNotFound, notFound)
  const bucket = await answeredBy((request, response) => {
    requests.push(request.url?.includes('/o?') === true ? 'list' : 'get')
    store(request, response)
  })

  await bucket.get('a')
  await bucket.get('b')

  expect(requests).toEqual(['get', 'list', 'get'])
})

const object = { 'x-goog-generation': '7', 'x-goog-stored-content-length': '10' }
const { brokenOff, part } = tenBytes(object)

test.each<[string, readonly RequestListener[], GetOptions?]>([
  ['a page', [page]],
  ['the way to a page', [answer(302, { location: 'http://127.0.0.1:1/login' })]],
  ['fewer bytes than the object has', [answer(200, object, '01234')]],
  [
    'bytes that were packed on the way',
    [answer(200, { ...object, 'content-encoding': 'gzip' }, '0123456789')],
  ],
  ['a part where the whole was asked for', [part('0-4/10', '01234')]],
  [
    'the whole where a part was asked for',
    [answer(200, object, '0123456789')],
    { range: { start: 2, end: 5 } },
  ],
  ['another part', [part('0-3/10', '0123')], { range: { start: 2, end: 5 } }],
  ['a shorter part', [part('2-4/10', '234')], { range: { start: 2, end: 5 } }],
  ['that nothing changed, unasked', [answer(304, { 'x-guploader-uploadid': '1' })]],
  ['that nothing changed, without a sign of the store', [answer(304)], { ifNoneMatch: tag }],
  [
    'that nothing is there, where something is',
    [answer(416), answer(200, {}, '{"name":"a","generation":"7","size":"10"}')],
  ],
  ['a half, then a page', [brokenOff, page]],
  ['a half, then another part', [brokenOff, part('0-4/10', '01234')]],
  ['a half, then a part of another object', [brokenOff, part('5-9/11', '56789')]],
  [
    'a half, then a part of another generation',
    [brokenOff, answer(206, { 'x-goog-generation': '8', 'content-range': 'bytes 5-9/10' }, '56789')],
  ],
])('a get that is answered with %s gives no bytes', async (_, answers, options = {}) => {
  const bucket = await answeredBy(...answers)

  const bytes = async () => {
    const found = await bucket.get('a', options)
    return typeof found === 'object' ? found.bytes() : found
  }

  await expect(bytes()).rejects.toMatchObject(unavailable)
})

/** https://cloud.google.com/storage/docs/transcoding: as stored for clients that accept gzip, otherwise unpacked. */
test('an object stored with gzip arrives as stored, whole and in parts', async () => {
  const stored = gzipSync('0123456789'.repeat(20))
  const size = stored.length
  const bucket = await answeredBy(({ headers }, response) => {
    const about = {
      'x-goog-generation': '7',
      'x-goog-stored-content-encoding': 'gzip',
      'x-goog-stored-content-length': String(size),
    }
    if (headers['accept-encoding'] !== 'gzip') response.writeHead(200, about).end(gunzipSync(stored))
    else if (headers.range === undefined)
      response.writeHead(200, { ...about, 'content-encoding': 'gzip' }).end(stored)
    else
      response
        .writeHead(206, { ...about, 'content-encoding': 'gzip', 'content-range': `bytes 0-3/${size}` })
        .end(stored.subarray(0, 4))
  })

  const found = await bucket.get('a')
  const start = await bucket.get('a', { range: { start: 0, end: 3 } })

  expect([found?.size, await found?.bytes()]).toEqual([size, stored])
  expect([start?.size, await start?.bytes()]).toEqual([size, stored.subarray(0, 4)])
})

test('that nothing changed is believed of Google, and of others after a look', async () => {
  const google = await answeredBy(answer(304, { 'x-guploader-uploadid': '1' }))
  const other = await answeredBy(answer(304), answer(200, {}, '{"name":"a","generation":"7","size":"5"}'))

  expect(await google.get('a', { ifNoneMatch: tag })).toBe('unchanged')
  expect(await other.get('a', { ifNoneMatch: tag })).toBe('unchanged')
})

test.each<[string, RequestListener]>([
  ['a page', page],
  ['a document of something else', answer(200, {}, '{}')],
])('neither a look, nor a write, nor a listing is answered with %s', async (_, strange) => {
  const bucket = await answeredBy(strange)

  await expect(bucket.head('a')).rejects.toMatchObject(unavailable)
  await expect(bucket.put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(unavailable)
  await expect(bucket.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject(unavailable)
})

test('an answer from someone else neither completes a delete nor loses a write', async () => {
  await expect((await answeredBy(page)).delete('a', tag)).rejects.toMatchObject(unavailable)
  await expect((await answeredBy(answer(412))).put('a', bodyOf('x'), tag)).rejects.toMatchObject(unavailable)
})

test.each([
  ['prod/app/default.tfstate', 'prod/app/default.tflock'],
  ['default.tfstate', 'default.tflock'],
  ['prod/app', 'prod/app.tflock'],
  ['a.tfstate/b', 'a.tfstate/b.tflock'],
])('the lock of %s is where backend "gcs" puts it', (key, place) => {
  expect(gcsLocks.placeOf(key)).toBe(place)
})
