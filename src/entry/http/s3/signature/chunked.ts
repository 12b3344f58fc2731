import { createHash } from 'node:crypto'
import { s3Error } from '../s3-error.ts'
import { type RequestSignature, signatureOf } from './authorization.ts'

/** The longest line between two chunks: its size and its signature, or a trailing header. */
const MAX_LINE = 4096
/** Clients send 64 KiB; a larger one than this would have to be kept before it can be checked. */
const MAX_CHUNK = 16 * 2 ** 20
const MAX_TRAILERS = 16
const EMPTY = createHash('sha256').digest('hex')

/** Undefined: who signed is not checked, as on a server without authentication. */
export interface ChunkKey {
  readonly key: Buffer
  readonly signature: RequestSignature
}

export interface ChunkedOptions {
  /** Undefined: chunks are not signed. */
  readonly signedWith: ChunkKey | undefined
  /** True: each chunk has a signature, checked or not. */
  readonly isSigned: boolean
  /** True: headers follow the last chunk. */
  readonly hasTrailers: boolean
  /** Gets each of those headers. */
  readonly onTrailer: (name: string, value: string) => void
}

/**
 * The bytes in a body with the encoding `aws-chunked`. A signed chunk is given on once its signature was checked; each
 * signature covers the one before it, so chunks can be neither left out nor reordered.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export async function* unchunked(
  body: AsyncIterable<Uint8Array>,
  options: ChunkedOptions,
): AsyncGenerator<Uint8Array> {
  const input = createInput(body)
  const check = createChunkCheck(options.signedWith)
  for (;;) {
    const line = await input.line()
    const match = /^([0-9a-f]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line)
    if (match === null || (match[2] !== undefined) !== options.isSigned) throw badChunk()
    const size = Number.parseInt(match[1] ?? '', 16)
    if (size > MAX_CHUNK) throw s3Error('InvalidRequest', `A chunk has more than ${MAX_CHUNK} bytes.`)
    if (size === 0) {
      check(Buffer.alloc(0), match[2])
      break
    }
    if (options.signedWith === undefined) {
      yield* input.pass(size)
    } else {
      const chunk = await input.whole(size)
      check(chunk, match[2])
      yield chunk
    }
    if ((await input.line()) !== '') throw badChunk()
  }
  if (options.hasTrailers) await readTrailers(input, options, check)
  await input.end()
}

type ChunkCheck = (chunk: Buffer, signature: string | undefined, kind?: 'PAYLOAD' | 'TRAILER') => void

function createChunkCheck(signedWith: ChunkKey | undefined): ChunkCheck {
  let previous = signedWith?.signature.signature ?? ''
  return (chunk, given, kind = 'PAYLOAD') => {
    if (signedWith === undefined) return
    const { key, signature } = signedWith
    const hash = createHash('sha256').update(chunk).digest('hex')
    const lines = [`AWS4-HMAC-SHA256-${kind}`, signature.time, signature.scope, previous]
    previous = signatureOf(key, [...lines, ...(kind === 'PAYLOAD' ? [EMPTY] : []), hash])
    // The signature is no secret of the server: it can only be made with the key.
    if (previous !== given)
      throw s3Error('SignatureDoesNotMatch', 'The signature of a chunk of the body is wrong.', {
        code: 'UNAUTHENTICATED',
      })
  }
}

async function readTrailers(
  input: Input,
  { onTrailer, signedWith, isSigned }: ChunkedOptions,
  check: ChunkCheck,
): Promise<void> {
  let text = ''
  for (let count = 0; count < MAX_TRAILERS; count++) {
    const line = await input.line()
    if (line === '') break
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? []
    if (name === '') throw badChunk()
    if (name.toLowerCase() === 'x-amz-trailer-signature') {
      check(Buffer.from(text), value, 'TRAILER')
      return
    }
    text += `${name.toLowerCase()}:${value}\n`
    onTrailer(name.toLowerCase(), value)
  }
  if (isSigned && signedWith !== undefined)
    throw s3Error('SignatureDoesNotMatch', 'The headers behind the body are not signed.', {
      code: 'UNAUTHENTICATED',
    })
}

interface Input {
  /** Without its end. At the end of the body, an empty one. */
  line(): Promise<string>
  whole(size: number): Promise<Buffer>
  pass(size: number): AsyncGenerator<Uint8Array>
  /** Refuses what follows. */
  end(): Promise<void>
}

function createInput(body: AsyncIterable<Uint8Array>): Input {
  const parts = body[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  /** False: there is no more. */
  async function more(): Promise<boolean> {
    const part = await parts.next()
    if (part.done === true) return false
    held = held.byteLength === 0 ? Buffer.from(part.value) : Buffer.concat([held, part.value])
    return true
  }

  function take(size: number): Buffer {
    const taken = held.subarray(0, size)
    held = held.subarray(size)
    return taken
  }

  async function* pass(size: number): AsyncGenerator<Uint8Array> {
    let left = size
    while (left > 0) {
      if (held.byteLength === 0 && !(await more())) throw incomplete()
      const some = take(Math.min(left, held.byteLength))
      left -= some.byteLength
      yield some
    }
  }

  return {
    pass,
    async line() {
      let at = held.indexOf('\r\n')
      while (at === -1) {
        if (held.byteLength > MAX_LINE) throw badChunk()
        if (!(await more())) {
          if (held.byteLength > 0) throw incomplete()
          return ''
        }
        at = held.indexOf('\r\n')
      }
      const line = take(at + 2)
      return line.subarray(0, at).toString('latin1')
    },
    async whole(size) {
      const some: Buffer[] = []
      // Copied: a part belongs to its producer again once the next one is requested.
      for await (const part of pass(size)) some.push(Buffer.from(part))
      return Buffer.concat(some)
    },
    async end() {
      while (held.byteLength === 0) if (!(await more())) return
      if (held.toString('latin1').trim() !== '') throw badChunk()
    },
  }
}

function badChunk() {
  return s3Error('InvalidRequest', 'The body is not in the encoding aws-chunked that its headers announce.')
}

function incomplete() {
  return s3Error('IncompleteBody', 'The body ended before its last chunk.')
}
