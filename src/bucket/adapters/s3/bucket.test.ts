import { expect, test } from 'vitest'
import { bodyOf } from '../../body.ts'
import type { Tag } from '../../bucket.ts'
import { ok, refusal, scripted } from '../../../../test/support/s3.ts'
import type { Answer } from '../../../../test/support/s3.ts'

const hangUp: Answer = (request) => request.socket.destroy()
const silence: Answer = () => undefined

const tag = 'abc' as Tag
const written = { kind: 'written', tag: 'tag' }

test.each([
  ['throttling', refusal(503, 'SlowDown')],
  ['too many requests', refusal(429, 'TooManyRequests')],
  ['an internal error', refusal(500, 'InternalError')],
  ['a bad gateway', refusal(502, '')],
  ['a slow upload', refusal(400, 'RequestTimeout')],
  ['a write under way', refusal(409, 'ConditionalRequestConflict')],
  ['a lost connection', hangUp],
])('after %s a put is tried again', async (_, failure) => {
  const { bucket, requests, pauses } = await scripted([failure, failure, ok])

  expect(await bucket.put('a', bodyOf('x'), 'absent')).toEqual(written)

  expect(requests).toHaveLength(3)
  expect(pauses).toHaveLength(2)
})

test('attempts are bounded, and pauses grow up to a bound', async () => {
  const { bucket, requests, pauses } = await scripted([refusal(503, 'SlowDown')])

  await expect(bucket.head('a')).rejects.toMatchObject({ code: 'BUCKET_UNAVAILABLE' })

  expect(requests).toHaveLength(6)
  expect(pauses.every((ms, i) => ms <= 80 * 2 ** i)).toBe(true)
})

test('a pause that the store requests is kept', async () => {
  const { bucket, pauses } = await scripted([refusal(503, 'SlowDown', { 'retry-after': '2' }), ok])

  await bucket.head('a')

  expect(pauses[0]).toBeGreaterThanOrEqual(2000)
})

test('a write that always meets another one under way is a conflict', async () => {
  const { bucket } = await scripted([refusal(409, 'ConditionalRequestConflict')])

  expect(await bucket.put('a', bodyOf('x'), tag)).toEqual({ kind: 'conflict' })
})

test('any other 409 is not a conflict, because no writer would ever win it', async () => {
  const { bucket, requests } = await scripted([refusal(409, 'ObjectParentIsFile')])

  await expect(bucket.put('a', bodyOf('x'), tag)).rejects.toMatchObject({ code: 'UNEXPECTED' })
  expect(requests).toHaveLength(1)
})

test.each([refusal(503, 'SlowDown'), hangUp])('a delete without retry is sent once', async (failure) => {
  const { bucket, requests } = await scripted([failure])
  const trusting = bucket.withAbilities({ ...bucket.can, conditionalDelete: true })

  await expect(trusting.delete('a', tag, { retry: false })).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
  })

  expect(requests.map(({ method }) => method)).toEqual(['DELETE'])
})

test('a request to a silent store fails', async () => {
  const { bucket, requests } = await scripted([silence], {
    idleTimeoutMs: 50,
    retry: { attempts: 2, baseMs: 1, maxMs: 1 },
  })

  await expect(bucket.head('a')).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
    message: /no data arrived for/,
  })
  expect(requests).toHaveLength(2)
})

test('a caller that gives up does not wait for a silent store', async () => {
  const controller = new AbortController()
  const { bucket } = await scripted([() => controller.abort()])

  await expect(bucket.get('a', { signal: controller.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
})

test.each([
  [403, 'AccessDenied', /s3:GetObject/],
  [403, 'SignatureDoesNotMatch', /AWS_SECRET_ACCESS_KEY/],
  [403, 'RequestTimeTooSkewed', /clock/],
  [403, 'InvalidAccessKeyId', /AWS_ACCESS_KEY_ID/],
  [404, 'NoSuchBucket', /Create the bucket/],
])('%i %s is a refusal with a hint and without secrets', async (status, code, hint) => {
  const { bucket, requests } = await scripted([refusal(status, code)])

  const calls = [bucket.get('a'), bucket.put('a', bodyOf('x'), tag)]
  const errors = await Promise.all(calls.map((call) => call.catch((thrown: unknown) => thrown)))
  for (const error of errors) {
    expect(error).toMatchObject({ code: 'BUCKET_REFUSED', hint: expect.stringMatching(hint) as unknown })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('the-secret')
  }
  expect(requests).toHaveLength(2)
})

test('a bucket in another region is named with its region', async () => {
  const { bucket } = await scripted([
    refusal(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-west-3' }),
  ])

  const error: unknown = await bucket.head('a').catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ code: 'BUCKET_REFUSED', facts: { region: 'eu-west-3' } })
  expect(error).toMatchObject({ hint: expect.stringContaining('AWS_REGION=eu-west-3') as unknown })
})

test('an answer that breaks off is picked up where it broke', async () => {
  const broken: Answer = (request, response) => {
    response
      .writeHead(200, { etag: '"tag"', 'content-length': '10' })
      .write('01234', () => request.socket.destroy())
  }
  const rest: Answer = (_, response) =>
    response.writeHead(206, { etag: '"tag"', 'content-range': 'bytes 5-9/10' }).end('56789')
  const { bucket, requests } = await scripted([broken, rest])

  const found = await bucket.get('a')

  expect((await found?.bytes())?.toString()).toBe('0123456789')
  expect(requests[1]?.headers).toMatchObject({ range: 'bytes=5-9', 'if-match': '"tag"' })
})

test('an answer that breaks off before its first byte, or before it is read, is requested again', async () => {
  const broken: Answer = (request, response) => {
    response.writeHead(200, { etag: '"tag"', 'content-length': '3' }).flushHeaders()
    setImmediate(() => request.socket.destroy())
  }
  const rest: Answer = (_, response) =>
    response.writeHead(206, { etag: '"tag"', 'content-range': 'bytes 0-2/3' }).end('abc')
  const { bucket } = await scripted([broken, rest, broken, rest, broken, rest])

  const atOnce = await bucket.get('a')
  expect((await atOnce?.bytes())?.toString()).toBe('abc')
  const later = await bucket.get('a')
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect((await later?.bytes())?.toString()).toBe('abc')
  const streamed = await bucket.get('a')
  await new Promise((resolve) => setTimeout(resolve, 30))
  for await (const part of streamed?.stream() ?? []) expect(Buffer.from(part).toString()).toBe('abc')
})

test('an object that is replaced while its answer breaks off is not pieced together', async () => {
  const broken: Answer = (request, response) => {
    response
      .writeHead(200, { etag: '"tag"', 'content-length': '10' })
      .write('01234', () => request.socket.destroy())
  }
  const { bucket } = await scripted([broken, refusal(412, 'PreconditionFailed')])

  const found = await bucket.get('a')

  await expect(found?.bytes()).rejects.toMatchObject({ code: 'BUCKET_UNAVAILABLE' })
})

test('encryption is requested with every write', async () => {
  const { bucket, requests } = await scripted([ok], { sse: 'aws:kms', kmsKeyId: 'the-key' })

  await bucket.put('a', bodyOf('x'), 'absent')

  expect(requests[0]?.headers).toMatchObject({
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': 'the-key',
    'if-none-match': '*',
  })
})

test('the time of the store is that of its last answer', async () => {
  const date = 'Thu, 01 Jan 2026 00:00:00 GMT'
  const { bucket } = await scripted([refusal(404, 'NoSuchKey', { date, 'x-amz-request-id': '1' })])
  expect(await bucket.storeTime()).toBeUndefined()

  await bucket.head('a')

  expect(Math.abs(((await bucket.storeTime()) ?? 0) - Date.parse(date))).toBeLessThan(10_000)
})

test('lists leave out objects whose keys cannot be addressed', async () => {
  const keys = ['p/', 'p/folder/', 'p/a//b', 'p/good', 'other/x']
  const xml = keys
    .map((key) => `<Contents><Key>${key}</Key><ETag>"x"</ETag><Size>0</Size></Contents>`)
    .join('')
  const { bucket } = await scripted(
    [(_, response) => response.end(`<ListBucketResult>${xml}</ListBucketResult>`)],
    { prefix: '/p/' },
  )

  const listed: string[] = []
  for await (const page of bucket.list('')) listed.push(...page.map(({ key }) => key))

  expect(listed).toEqual(['good'])
})

test('a delete of an untrusted store looks first', async () => {
  const { bucket, requests } = await scripted([ok])

  expect(bucket.can.conditionalDelete).toBe(false)
  expect(await bucket.delete('a', tag)).toEqual({ kind: 'conflict' })
  expect(await bucket.delete('a', 'tag' as Tag)).toBe('deleted')

  expect(requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'DELETE'])
})
