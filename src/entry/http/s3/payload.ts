import { createHash } from 'node:crypto'
import type { Exchange } from '../kit/exchange.ts'
import { declaredBytes, received, tooLarge } from '../kit/request/receive.ts'
import { s3Error } from './s3-error.ts'
import { CHECKSUM_HEADERS, type Checksum, createChecksum } from './signature/checksums.ts'
import { type ChunkKey, unchunked } from './signature/chunked.ts'

const HEX_HASH = /^[0-9a-f]{64}$/

/** The body of a request, decoded. It fails at its end if its bytes are not those that were signed or announced. */
export interface Payload {
  readonly declaredBytes: number | undefined
  readonly contentMd5: string | undefined
  readonly bytes: AsyncIterable<Uint8Array>
}

/** `signedWith`: what the chunks of a signed stream are checked with; undefined where no one checks who signed. */
export function payloadOf(x: Exchange, signedWith: ChunkKey | undefined): Payload {
  const { headers } = x.req
  const kind = headers['x-amz-content-sha256']?.toString() ?? 'UNSIGNED-PAYLOAD'
  const stream = kind.startsWith('STREAMING-') ? streamOf(kind) : undefined
  const checks = createChecks(x)
  const contentMd5 = headers['content-md5']?.toString()
  if (contentMd5 !== undefined && !/^[A-Za-z0-9+/]{22}==$/.test(contentMd5))
    throw s3Error('InvalidDigest', 'The header Content-MD5 is not a digest in base64.')
  if (stream === undefined)
    return { declaredBytes: declaredBytes(x), contentMd5, bytes: checked(received(x), kind, checks) }
  const key = stream.isSigned ? signedWith : undefined
  return { declaredBytes: decodedBytes(x), contentMd5, bytes: chunksOf(x, stream, key, checks) }
}

/** A body that is small by nature. */
export async function wholePayload({ bytes, declaredBytes: size }: Payload, max: number): Promise<Buffer> {
  if ((size ?? 0) > max) throw tooLarge(max)
  const parts: Buffer[] = []
  let length = 0
  for await (const part of bytes) {
    length += part.byteLength
    if (length > max) throw tooLarge(max)
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts)
}

function decodedBytes(x: Exchange): number {
  const text = x.req.headers['x-amz-decoded-content-length']?.toString()
  if (text === undefined || !/^\d{1,15}$/.test(text))
    throw s3Error('MissingContentLength', 'The header x-amz-decoded-content-length is missing.')
  return Number(text)
}

async function* checked(
  body: AsyncIterable<Uint8Array>,
  kind: string,
  checks: Checks,
): AsyncGenerator<Uint8Array> {
  const isHashed = HEX_HASH.test(kind)
  if (!isHashed && kind !== 'UNSIGNED-PAYLOAD')
    throw s3Error('InvalidRequest', `The value ${kind} of x-amz-content-sha256 is not supported.`)
  const hash = isHashed ? createHash('sha256') : undefined
  for await (const part of body) {
    hash?.update(part)
    checks.update(part)
    yield part
  }
  if (hash !== undefined && hash.digest('hex') !== kind)
    throw s3Error('XAmzContentSHA256Mismatch', 'The body is not the one that was signed.')
  checks.finish()
}

interface Stream {
  readonly isSigned: boolean
  readonly hasTrailers: boolean
}

const STREAMS: Readonly<Record<string, Stream>> = {
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { isSigned: false, hasTrailers: true },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { isSigned: true, hasTrailers: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { isSigned: true, hasTrailers: true },
}

function streamOf(kind: string): Stream {
  const stream = STREAMS[kind]
  if (stream === undefined) throw s3Error('NotImplemented', `Bodies of the kind ${kind} are not supported.`)
  return stream
}

async function* chunksOf(
  x: Exchange,
  stream: Stream,
  signedWith: ChunkKey | undefined,
  checks: Checks,
): AsyncGenerator<Uint8Array> {
  const options = { ...stream, signedWith, onTrailer: checks.expect }
  for await (const part of unchunked(received(x), options)) {
    checks.update(part)
    yield part
  }
  checks.finish()
}

interface Checks {
  update(bytes: Uint8Array): void
  /** What comes behind the body. */
  expect(header: string, value: string): void
  /** Throws if a checksum is wrong, or one that was announced did not come. */
  finish(): void
}

function createChecks(x: Exchange): Checks {
  const { headers } = x.req
  const announced = (headers['x-amz-trailer']?.toString() ?? '').toLowerCase().split(',')
  const running = new Map<string, Checksum>()
  const expected = new Map<string, string>()
  for (const header of CHECKSUM_HEADERS) {
    const given = headers[header]?.toString()
    const isTrailing = announced.some((name) => name.trim() === header)
    const checksum = given !== undefined || isTrailing ? createChecksum(header) : undefined
    if (checksum !== undefined) running.set(header, checksum)
    if (given !== undefined) expected.set(header, given)
  }
  return {
    update(bytes) {
      for (const checksum of running.values()) checksum.update(bytes)
    },
    expect: (header, value) => void expected.set(header, value),
    finish() {
      for (const [header, checksum] of running)
        if (checksum.digest() !== expected.get(header))
          throw s3Error('BadDigest', `The body does not match its ${header}.`, { code: 'STATE_DIGEST' })
    },
  }
}
