import { expect, test } from 'vitest'
import { readSignature } from './authorization.ts'
import { unchunked } from './chunked.ts'

/** The example of https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html */
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const SEED = '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9'
const SIGNATURES = [
  'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
  '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
  'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
]
const CHUNKS = ['a'.repeat(65_536), 'a'.repeat(1024), '']

/** The request of both examples. `more`: the headers in which they differ, which are signed like the others. */
function keyOfExample(seed: string, more: Readonly<Record<string, string>>) {
  const headers = {
    host: 's3.amazonaws.com',
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '66560',
    ...more,
  }
  const names = Object.keys(headers).toSorted().join(';')
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=${names}, Signature=${seed}`
  const signature = readSignature(
    {
      method: 'PUT',
      path: '/examplebucket/chunkObject.txt',
      query: '',
      headers: { ...headers, authorization },
    },
    Date.parse('2013-05-24T00:00:00Z'),
  )
  const key = signature?.verified(SECRET)
  if (signature === undefined || key === undefined) throw new Error('the example is not right')
  return { key, signature }
}

const exampleKey = () =>
  keyOfExample(SEED, {
    'content-length': '66824',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  })

const body = (chunks: readonly string[], signatures: readonly string[]) =>
  chunks
    .map((chunk, i) => `${chunk.length.toString(16)};chunk-signature=${signatures[i]}\r\n${chunk}\r\n`)
    .join('')

async function* parts(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function decoded(text: string, size = 1000, options = {}) {
  const trailers: string[] = []
  const signed = { signedWith: exampleKey(), isSigned: true, hasTrailers: false }
  const onTrailer = (name: string, value: string) => void trailers.push(`${name}=${value}`)
  let bytes = ''
  for await (const chunk of unchunked(parts(text, size), { ...signed, onTrailer, ...options }))
    bytes += Buffer.from(chunk).toString()
  return { bytes, trailers }
}

test.each([7, 1000, 100_000])('the example of AWS is read, in parts of %i bytes', async (size) => {
  expect((await decoded(body(CHUNKS, SIGNATURES), size)).bytes).toBe('a'.repeat(66_560))
})

test.each([
  ['changed', body([CHUNKS[0] ?? '', 'b'.repeat(1024), ''], SIGNATURES)],
  ['left out', body([CHUNKS[0] ?? '', ''], [SIGNATURES[0] ?? '', SIGNATURES[2] ?? ''])],
  ['cut off', body(CHUNKS.slice(0, 2), SIGNATURES)],
  ['without a signature', `${body(CHUNKS.slice(0, 2), SIGNATURES)}0\r\n\r\n`],
  ['followed by something else', `${body(CHUNKS, SIGNATURES)}more`],
])('a body with a chunk that is %s is refused', async (_, text) => {
  await expect(decoded(text)).rejects.toThrow(expect.objectContaining({ facts: { s3: expect.any(String) } }))
})

/** The example of https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html */
const TRAILING = {
  seed: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
  chunks: [
    'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
    '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
    '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  ],
  trailer: 'x-amz-checksum-crc32c:sOO8/Q==\r\n',
  signature: 'd81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435',
}

const trailingKey = () =>
  keyOfExample(TRAILING.seed, {
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
    'x-amz-trailer': 'x-amz-checksum-crc32c',
  })

const trailed = (signature: string, trailer = TRAILING.trailer) =>
  `${body(CHUNKS, TRAILING.chunks).slice(0, -2)}${trailer}x-amz-trailer-signature:${signature}\r\n\r\n`

test('signed headers behind the body are read, and only if they are right', async () => {
  const options = { signedWith: trailingKey(), hasTrailers: true }

  expect(await decoded(trailed(TRAILING.signature), 1000, options)).toEqual({
    bytes: 'a'.repeat(66_560),
    trailers: ['x-amz-checksum-crc32c=sOO8/Q=='],
  })
  for (const wrong of [
    trailed('0'.repeat(64)),
    trailed(TRAILING.signature, 'x-amz-checksum-crc32c:AAAAAA==\r\n'),
    `${body(CHUNKS, TRAILING.chunks).slice(0, -2)}${TRAILING.trailer}\r\n`,
  ])
    await expect(decoded(wrong, 1000, options)).rejects.toThrow(
      expect.objectContaining({ facts: { s3: 'SignatureDoesNotMatch' } }),
    )
})

const unsigned = { signedWith: undefined, isSigned: false, hasTrailers: true }

test('headers behind the body are read', async () => {
  const text = '5\r\nhello\r\n6\r\n world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n'

  expect(await decoded(text, 3, unsigned)).toEqual({
    bytes: 'hello world',
    trailers: ['x-amz-checksum-crc32=DUoRhQ=='],
  })
})

test.each(['hello', '5\r\nhel', '5\r\nhello world\r\n', 'fffffff\r\n', '1'.repeat(5000)])(
  'what is not chunked is refused: %s',
  async (text) => {
    await expect(decoded(text, 1000, unsigned)).rejects.toThrow()
  },
)
