import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  constants,
  createBrotliCompress,
  createBrotliDecompress,
} from 'node:zlib'
import type { Transform } from 'node:stream'
import { corrupt } from './corrupt.ts'

/** Quality 1 packs a state to a tenth at 800 MB/s; more quality costs far more than it saves. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 1 }
const PIECE_BYTES = 256 * 1024
/** So little is packed in a tenth of a millisecond: handing it to another thread and back costs several times that. */
const AT_ONCE_BYTES = 64 * 1024

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

export async function pack(bytes: Uint8Array): Promise<Buffer> {
  const params = { ...QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  if (bytes.length <= AT_ONCE_BYTES) return brotliCompressSync(bytes, { params })
  return await compress(bytes, { chunkSize: PIECE_BYTES, params })
}

export function packStream(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return through(createBrotliCompress({ chunkSize: PIECE_BYTES, params: QUALITY }), source)
}

/** Bytes that do not unpack, or to another size, are BUCKET_CORRUPT. */
export async function unpack(packed: Uint8Array, size: number): Promise<Buffer> {
  try {
    const bytes = await decompress(packed, { chunkSize: PIECE_BYTES, maxOutputLength: Math.max(size, 1) })
    if (bytes.length === size) return bytes
  } catch (error) {
    throw corrupt('it does not unpack', error)
  }
  throw corrupt('it unpacks to another size')
}

/** Errors of the source pass as they are; bytes that do not unpack are BUCKET_CORRUPT. */
export async function* unpackStream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const failure: { source?: unknown } = {}
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* source
    } catch (error) {
      failure.source = error
      throw error
    }
  }
  try {
    yield* through(createBrotliDecompress({ chunkSize: PIECE_BYTES }), watched())
  } catch (error) {
    throw failure.source === undefined ? corrupt('it does not unpack', error) : failure.source
  }
}

/** Takes one chunk at a time: the source may reuse its buffer when the next one is requested. */
async function* through(transform: Transform, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const feeding = feed(transform, source)
  feeding.catch((error: unknown) =>
    transform.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  try {
    for await (const piece of transform) yield piece as Uint8Array
    await feeding
  } finally {
    transform.destroy()
  }
}

async function feed(transform: Transform, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of source) {
    if (transform.destroyed) return
    await new Promise<void>((resolve, reject) => {
      transform.once('close', resolve)
      transform.write(chunk, (error) => {
        transform.off('close', resolve)
        if (error) reject(error)
        else resolve()
      })
    })
  }
  transform.end()
}
