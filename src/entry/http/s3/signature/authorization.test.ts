import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ToSign, signedHeaders } from '../../../../../test/support/aws-signer.ts'
import { readSignature } from './authorization.ts'

const key = { accessKeyId: 'at-0123456789abcdef.k1', secretAccessKey: 'taco_s3_secret' }
const now = Date.parse('2026-02-03T04:05:06Z')
const plain: ToSign = { method: 'PUT', path: '/s3/default/a/b.tfstate', body: '{}', at: new Date(now) }

const escape = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

async function received(request: ToSign, changed: Partial<ToSign> = {}) {
  const headers = await signedHeaders(key, request)
  const { method, path, query = {} } = { ...request, ...changed }
  const parts = Object.entries(query).map(([name, value]) => `${escape(name)}=${escape(value)}`)
  return { method, path, query: parts.join('&'), headers: { ...headers, ...changed.headers } }
}

test('signatures of the AWS SDK are right, and only with the right secret', async () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((text) => !/^\.\.?$/.test(text))
  const request = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE'),
    path: fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((parts) => `/s3/${parts.map((part) => escape(part)).join('/')}`),
    query: fc.dictionary(
      fc.stringMatching(/^[A-Za-z-]{1,10}$/),
      fc.string({ unit: 'grapheme', maxLength: 10 }),
      { maxKeys: 4 },
    ),
    headers: fc.dictionary(
      fc.stringMatching(/^x-amz-meta-[a-z]{1,8}$/),
      fc.stringMatching(/^[a-z]{1,5}( {1,3}[a-z,]{1,5}){0,2}$/),
      { maxKeys: 3 },
    ),
    body: fc.string({ maxLength: 20 }),
  })
  await fc.assert(
    fc.asyncProperty(request, async (given) => {
      const signature = readSignature(await received({ ...given, at: new Date(now) }), now)

      expect(signature?.accessKeyId).toBe(key.accessKeyId)
      expect(signature?.verified(key.secretAccessKey)).toBeDefined()
      expect(signature?.verified(`${key.secretAccessKey}x`)).toBeUndefined()
    }),
    { numRuns: 200 },
  )
})

test.each(['env%3A', 'env:'])('a path that was sent with fewer escapes, and signed as %s', async (part) => {
  const signed = await received({ ...plain, path: `/s3/default/${part}/dev/a.tfstate` })

  const signature = readSignature({ ...signed, path: '/s3/default/env:/dev/a.tfstate' }, now)

  expect(signature?.verified(key.secretAccessKey)).toBeDefined()
})

test.each<[string, Partial<ToSign>]>([
  ['another method', { method: 'DELETE' }],
  ['another key', { path: '/s3/default/a/c.tfstate' }],
  ['another organization', { path: '/s3/other/a/b.tfstate' }],
  ['more in the query', { query: { uploads: '' } }],
  ['another host', { headers: { host: 'elsewhere' } }],
  ['another body', { headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }],
  ['another time', { headers: { 'x-amz-date': '20260203T040507Z' } }],
])('a signature does not fit %s', async (_, changed) => {
  const signature = readSignature(await received(plain, changed), now)

  expect(signature?.verified(key.secretAccessKey)).toBeUndefined()
})

test.each([
  ['later', 15 * 60_000 + 1000],
  ['sooner', -15 * 60_000 - 1000],
])('a request that comes a quarter of an hour %s is refused', async (_, off) => {
  const signed = await received(plain)

  expect(() => readSignature(signed, now + off)).toThrow(
    expect.objectContaining({ code: 'UNAUTHENTICATED', facts: { s3: 'RequestTimeTooSkewed' } }),
  )
  expect(readSignature(signed, now + Math.sign(off) * 899_000)?.verified(key.secretAccessKey)).toBeDefined()
})

test.each<[string, (headers: Record<string, string>) => Record<string, string>]>([
  ['of another version', () => ({ authorization: 'AWS4-ECDSA-P256-SHA256 Credential=x' })],
  ['of a token', () => ({ authorization: 'Bearer taco_pat_x' })],
  [
    'for another service',
    ({ authorization = '' }) => ({ authorization: authorization.replace('/s3/', '/sts/') }),
  ],
  ['without a time', () => ({ 'x-amz-date': '' })],
  ['of a day that does not exist', () => ({ 'x-amz-date': '20260203T990506Z' })],
  [
    'of another day',
    ({ authorization = '' }) => ({ authorization: authorization.replace('20260203', '20260202') }),
  ],
  ['with a header that is not signed', () => ({ 'x-amz-acl': 'public-read' })],
])('a signature %s is refused', async (_, change) => {
  const signed = await received(plain)

  expect(() =>
    readSignature({ ...signed, headers: { ...signed.headers, ...change(signed.headers) } }, now),
  ).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }))
})

test('a request without a signature is not signed', () => {
  expect(readSignature({ method: 'GET', path: '/s3/default', query: '', headers: {} }, now)).toBeUndefined()
})
