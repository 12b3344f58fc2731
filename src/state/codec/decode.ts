import { createHash } from 'node:crypto'
import type { Spool } from '../../base/spool.ts'
import type { Segment } from './chunks.ts'
import { contentOf, type Content } from './content.ts'
import { corrupt } from './corrupt.ts'
import { decodeHeader, FRAME_PREFIX_BYTES, headerBytes, type FrameHeader } from './frame.ts'
import { unpack, unpackStream } from './packing.ts'
import { decodeSegments } from './segments.ts'
import { createSource, type Source } from './source.ts'

export interface ReadOptions {
  /** The stored frame of a version. Implementations throw if it is gone. */
  open(id: string): Promise<AsyncIterable<Uint8Array>>
  /** For bases that do not fit into memory. */
  readonly spool: Spool
}

export interface ReadVersion {
  readonly header: FrameHeader
  /**
   * Verified: the last chunk is returned only if the whole has the right digest; otherwise BUCKET_CORRUPT is thrown.
   * Read it once.
   */
  readonly content: AsyncIterable<Uint8Array>
  /** Instead of reading the content. */
  discard(): Promise<void>
}

type DeltaHeader = FrameHeader & { readonly base: NonNullable<FrameHeader['base']> }

/** A chain is self → mid → full; anything longer was not written by us. */
const MOST_BASES = 8
/** Frames up to this size are unpacked at once. */
const AT_ONCE_BYTES = 8 * 1024 * 1024

/** Reads a version and whatever it is stored against. */
export async function readVersion(id: string, options: ReadOptions, depth = 0): Promise<ReadVersion> {
  if (depth > MOST_BASES) throw corrupt('it is a difference of a difference without end')
  const source = createSource(await options.open(id))
  try {
    const header = await readHeader(source)
    return {
      header,
      content: verified(header, restore(header, source, options, depth)),
      discard: source.close,
    }
  } catch (error) {
    await source.close()
    throw error
  }
}

async function* restore(
  header: FrameHeader,
  source: Source,
  options: ReadOptions,
  depth: number,
): AsyncGenerator<Uint8Array> {
  try {
    const payload = unpackPayload(header, exactly(source.rest(), header.stored))
    if (header.base === undefined) yield* payload
    else yield* restoreDelta({ ...header, base: header.base }, payload, options, depth)
  } finally {
    await source.close()
  }
}

async function* restoreDelta(
  header: DeltaHeader,
  payload: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  depth: number,
): AsyncGenerator<Uint8Array> {
  const source = createSource(payload)
  // Taken before the base is opened: with most differences this reads the frame to its end and frees its connection.
  const segments = await source.takeAll(header.base.segments)
  const base = await readVersion(header.base.id, options, depth + 1)
  if (base.header.size !== header.base.size) {
    await base.discard()
    throw corrupt('its base has another size')
  }
  const content = await contentOf(base.content, base.header.size, options.spool)
  try {
    yield* applied(decodeSegments(segments, content.size, header.size), source, content)
  } finally {
    await source.close()
    await content.dispose()
  }
}

async function* unpackPayload(
  header: FrameHeader,
  payload: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (header.packing === 'raw') yield* copied(payload)
  else if (header.unpacked > AT_ONCE_BYTES || header.stored > AT_ONCE_BYTES) yield* unpackStream(payload)
  else {
    const parts: Uint8Array[] = []
    for await (const part of payload) parts.push(new Uint8Array(part))
    yield await unpack(parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), header.unpacked)
  }
}

/** The stream of a frame may reuse its buffer, and content is held back for a while. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield new Uint8Array(chunk)
}

/** Literals are read from the payload in order, copies from anywhere in the base. */
async function* applied(
  segments: readonly Segment[],
  source: Source,
  base: Content,
): AsyncGenerator<Uint8Array> {
  for (const { base: from, length } of segments) {
    if (from < 0) yield* source.take(length)
    else yield* base.read(from, length)
  }
  await source.end()
}

/** Stops content that is too long at once, and holds its last chunk back until the digest is right. */
async function* verified(
  header: FrameHeader,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  let size = 0
  let held: Uint8Array | undefined
  for await (const chunk of content) {
    if (chunk.length === 0) continue
    if (held !== undefined) yield held
    size += chunk.length
    if (size > header.size) throw corrupt('it is longer than it should be')
    digest.update(chunk)
    held = chunk
  }
  if (size !== header.size || digest.digest('hex') !== header.sha256)
    throw corrupt('its content fails the check')
  if (held !== undefined) yield held
}

async function readHeader(source: Source): Promise<FrameHeader> {
  const prefix = await source.takeAll(FRAME_PREFIX_BYTES)
  const rest = await source.takeAll(headerBytes(prefix) - FRAME_PREFIX_BYTES)
  const header = decodeHeader(Buffer.concat([prefix, rest]))
  if (header === undefined) throw corrupt('it ends too early')
  return header
}

/** Exactly so many bytes: what is missing or left over is damage. */
async function* exactly(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size
  for await (const chunk of bytes) {
    left -= chunk.length
    if (left < 0) throw corrupt('something follows it')
    yield chunk
  }
  if (left > 0) throw corrupt('it ends too early')
}
