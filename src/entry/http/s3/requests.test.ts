import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { Sent } from '../../../../test/rig/http-face.ts'
import { type S3TestFace, s3RootToken, startS3Face } from '../../../../test/rig/s3-face.ts'
import { type ToSign, signedHeaders } from '../../../../test/support/aws-signer.ts'
import { stateText } from '../../../../test/support/state.ts'
import { rootSigningKey } from '../../../access/index.ts'
import { readSignature, signatureOf } from './signature/authorization.ts'

const path = '/s3/default/app/terraform.tfstate'
const root = rootSigningKey(s3RootToken)
const text = stateText(1)
const md5 = (content: string) => createHash('md5').update(content).digest('base64')
const crc = (content: string) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(content))
  return bytes.toString('base64')
}
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

/** As a client that signs sends it. */
async function send(
  face: S3TestFace,
  { body = '', ...request }: Partial<ToSign> & { readonly body?: string },
) {
  const whole = { method: 'GET', path, host: `127.0.0.1:${face.port}`, body, ...request }
  const headers = await signedHeaders(root, whole)
  const sent: Sent = { method: whole.method, headers, body }
  const query = new URLSearchParams(whole.query).toString()
  return face.send(`${whole.path}${query === '' ? '' : `?${query}`}`, sent)
}

const chunked = (content: string, trailer: string) => ({
  payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  headers: {
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': String(content.length),
    'x-amz-trailer': 'x-amz-checksum-crc32',
  },
  body: `${content.length.toString(16)}\r\n${content}\r\n0\r\n${trailer}\r\n\r\n`,
})

test.each<[string, Partial<ToSign>]>([
  ['in one piece', { body: text }],
  ['without a hash', { body: text, payloadHash: 'UNSIGNED-PAYLOAD' }],
  ['with Content-MD5', { body: text, headers: { 'content-md5': md5(text) } }],
  ['with a checksum', { body: text, headers: { 'x-amz-checksum-crc32': crc(text) } }],
  ['in chunks with a checksum behind them', chunked(text, `x-amz-checksum-crc32:${crc(text)}`)],
])('a body %s is taken', async (_, request) => {
  const face = await startS3Face('token')

  const answer = await send(face, { method: 'PUT', ...request })

  expect(answer.status, answer.text).toBe(200)
  expect((await send(face, {})).text).toBe(text)
})

test.each<[string, Partial<ToSign>, string]>([
  ['another Content-MD5', { body: text, headers: { 'content-md5': md5('x') } }, 'BadDigest'],
  ['what is no Content-MD5', { body: text, headers: { 'content-md5': 'x' } }, 'InvalidDigest'],
  ['another checksum', { body: text, headers: { 'x-amz-checksum-crc32': crc('x') } }, 'BadDigest'],
  ['another checksum behind it', chunked(text, `x-amz-checksum-crc32:${crc('x')}`), 'BadDigest'],
  ['a checksum that does not come', chunked(text, ''), 'BadDigest'],
  [
    'another length',
    {
      ...chunked(text, `x-amz-checksum-crc32:${crc(text)}`),
      headers: { 'x-amz-decoded-content-length': String(text.length + 1) },
    },
    'IncompleteBody',
  ],
  [
    'no length',
    { ...chunked(text, `x-amz-checksum-crc32:${crc(text)}`), headers: {} },
    'MissingContentLength',
  ],
  ['an unknown encoding', { body: text, payloadHash: 'STREAMING-X' }, 'NotImplemented'],
  ['an unknown hash', { body: text, payloadHash: 'x' }, 'InvalidRequest'],
])('a body with %s is refused, and nothing is written', async (_, request, code) => {
  const face = await startS3Face('token')

  const answer = await send(face, { method: 'PUT', ...request })

  expect(answer.text).toContain(`<Code>${code}</Code>`)
  expect((await send(face, {})).status).toBe(404)
})

test.each([
  ['right', text, 200],
  ['of another chunk', text.replace('v1', 'v2'), 403],
])('a stream whose signatures are %s', async (_, sent, status) => {
  const face = await startS3Face('token')
  const host = `127.0.0.1:${face.port}`
  const payloadHash = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
  const more = { 'x-amz-decoded-content-length': String(text.length) }
  const headers = await signedHeaders(root, { method: 'PUT', path, host, payloadHash, headers: more })
  const signature = readSignature({ method: 'PUT', path, query: '', headers }, Date.now())
  const key = signature?.verified(root.secretAccessKey)
  if (signature === undefined || key === undefined) throw new Error('the signature is wrong')
  let previous = signature.signature
  const body = [text, '']
    .map((chunk) => {
      const lines = ['AWS4-HMAC-SHA256-PAYLOAD', signature.time, signature.scope, previous, sha256('')]
      previous = signatureOf(key, [...lines, sha256(chunk)])
      return `${chunk.length.toString(16)};chunk-signature=${previous}\r\n${chunk}\r\n`
    })
    .join('')

  const answer = await face.send(path, { method: 'PUT', headers, body: body.replace(text, sent) })

  expect(answer.status, answer.text).toBe(status)
})

test('parts of a state can be read, and what is unchanged is not sent', async () => {
  const face = await startS3Face('token')
  await send(face, { method: 'PUT', body: text })

  const part = await send(face, { headers: { range: 'bytes=2-5' } })
  expect([part.status, part.text, part.headers['content-range']]).toEqual([
    206,
    text.slice(2, 6),
    `bytes 2-5/${text.length}`,
  ])
  const end = await send(face, { headers: { range: 'bytes=5-99999999' } })
  expect([end.status, end.text]).toEqual([206, text.slice(5)])
  expect((await send(face, { headers: { range: `bytes=${text.length}-` } })).status).toBe(416)
  expect((await send(face, { headers: { range: 'bytes=-5' } })).text).toBe(text)
  const etag = String(part.headers['etag'])
  expect((await send(face, { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect((await send(face, { headers: { 'if-match': '"other"' } })).status).toBe(412)
})

test.each<[string, Partial<ToSign>]>([
  ['a copy', { method: 'PUT', headers: { 'x-amz-copy-source': '/default/x' } }],
  [
    'a key of the client',
    { method: 'PUT', headers: { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' } },
  ],
  ['access control lists', { query: { acl: '' } }],
  ['versions', { query: { versionId: 'x' } }],
  ['settings of a bucket', { path: '/s3/default', query: { policy: '' } }],
  ['presigned addresses', { query: { 'X-Amz-Signature': 'x' } }],
  ['a form', { method: 'POST' }],
])('%s: not supported, and said so', async (_, request) => {
  const face = await startS3Face('token')

  const answer = await send(face, request)

  expect([answer.status, answer.text]).toEqual([501, expect.stringContaining('<Code>NotImplemented</Code>')])
})

test('a missing organization is no missing state, also where only the status is seen', async () => {
  const face = await startS3Face('token')

  for (const method of ['GET', 'HEAD'])
    expect((await send(face, { method, path: '/s3/absent/app/terraform.tfstate' })).status).toBe(403)
  expect((await send(face, { path: '/s3/absent' })).text).toContain('<Code>NoSuchBucket</Code>')
})

test('a wrong signature is in the audit, with the key that it names', async () => {
  const face = await startS3Face('token')
  const headers = await signedHeaders({ ...root, secretAccessKey: 'x' }, { method: 'GET', path })
  expect((await face.send(path, { headers })).status).toBe(403)

  // The guard of this test lets everyone in at the native API.
  await vi.waitFor(async () => {
    const { items } = (await face.send('/v1/audit?result=refused')).json() as { items: unknown[] }
    expect(items).toMatchObject([
      { by: 'anonymous', action: 'state:read', data: { reason: 'UNAUTHENTICATED', credential: 'root' } },
    ])
  })
})
