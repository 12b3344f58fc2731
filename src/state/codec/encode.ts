import { createHash, hash } from 'node:crypto'
import type { Spool, SpoolFile } from '../../base/spool.ts'
import { bodyOf, type Body } from '../../bucket/index.ts'
import { averageFor, Chunker, type ChunkIndex, type Segment } from './chunks.ts'
import { collect, wrongSize } from './content.ts'
import { encodeHeader, type FrameHeader } from './frame.ts'
import { pack, packStream } from './packing.ts'
import { encodeSegments } from './segments.ts'

export interface EncodeOptions {
  /** Kept in the header as it is: who, when, why. JSON without secrets. */
  readonly meta: Readonly<Record<string, unknown>>
  /** What the version may be stored as a difference against. Its bytes are not needed. */
  readonly base?: { readonly id: string; readonly index: ChunkIndex }
  /** For what does not fit into memory. */
  readonly spool: Spool
  /** If the caller has it; saves reading everything once more. */
  readonly sha256?: string
}

export interface EncodedVersion {
  /** What goes into the bucket; valid until `dispose()`. */
  readonly frame: Body
  readonly kind: 'full' | 'delta'
  readonly sha256: string
  /** For the versions that will be stored against this one. */
  readonly index: ChunkIndex
  dispose(): Promise<void>
}

/** Larger bodies go through chunk by chunk, with the result in a spool file. */
export const IN_MEMORY_BYTES = 8 * 1024 * 1024
/** A difference must save at least this share of the content to justify depending on a base. */
const WORTHWHILE = 0.5
/** Packed by less than this, bytes are stored as they are. */
const PACKS = 0.97
/** With more chunks of the base's average size than this, the content gets its own average. */
const MOST_CHUNKS = 16_384

interface Survey {
  readonly sha256: string
  readonly index: ChunkIndex
  readonly segments: readonly Segment[]
}

/** Makes the frame of one version. Reads the body twice when it is large: once to compare, once to write. */
export async function encodeVersion(body: Body, options: EncodeOptions): Promise<EncodedVersion> {
  const content = body.size <= IN_MEMORY_BYTES ? bodyOf(await bytesIn(body)) : body
  const survey = await surveyOf(content, options)
  const literalBytes = survey.segments.reduce((sum, { base, length }) => (base < 0 ? sum + length : sum), 0)
  const isDelta = options.base !== undefined && literalBytes <= body.size * WORTHWHILE && body.size > 0
  const segments = isDelta ? encodeSegments(survey.segments) : Buffer.alloc(0)
  const unpacked = isDelta ? segments.length + literalBytes : body.size
  const payload = isDelta ? deltaPayload(content, survey.segments, segments, unpacked) : content

  const packed =
    unpacked <= IN_MEMORY_BYTES ? await packInMemory(payload) : await packToSpool(payload, options.spool)
  const header: FrameHeader = {
    kind: isDelta ? 'delta' : 'full',
    packing: packed.packing,
    size: body.size,
    sha256: survey.sha256,
    average: survey.index.average,
    stored: packed.body.size,
    unpacked,
    ...(isDelta && options.base !== undefined
      ? { base: { id: options.base.id, size: options.base.index.size, segments: segments.length } }
      : {}),
    meta: options.meta,
  }
  const { kind, sha256 } = header
  return {
    frame: joined(encodeHeader(header), packed.body),
    kind,
    sha256,
    index: survey.index,
    dispose: packed.dispose,
  }
}

async function bytesIn(body: Body): Promise<Uint8Array> {
  return body.bytes ?? (await collect(body.stream(), body.size))
}

async function surveyOf(content: Body, { base, sha256 }: EncodeOptions): Promise<Survey> {
  const chunker = new Chunker(averageAlike(content.size, base?.index), base?.index)
  if (content.bytes !== undefined) {
    chunker.pushAll(content.bytes)
    return { sha256: sha256 ?? hash('sha256', content.bytes, 'hex'), ...chunker.finish() }
  }
  const digest = sha256 === undefined ? createHash('sha256') : undefined
  for await (const chunk of content.stream()) {
    digest?.update(chunk)
    chunker.push(chunk)
  }
  const survey = chunker.finish()
  if (survey.index.size !== content.size) throw wrongSize(content.size)
  return { sha256: sha256 ?? digest?.digest('hex') ?? '', ...survey }
}

/** The base's average as long as it will do: content cut in another way matches nothing. */
function averageAlike(size: number, base: ChunkIndex | undefined): number {
  return base !== undefined && size / base.average <= MOST_CHUNKS ? base.average : averageFor(size)
}

function deltaPayload(content: Body, segments: readonly Segment[], encoded: Buffer, size: number): Body {
  const { bytes } = content
  if (bytes !== undefined && size <= IN_MEMORY_BYTES)
    return bodyOf(Buffer.concat([encoded, ...literalsIn(bytes, segments)]))
  return {
    size,
    bytes: undefined,
    async *stream() {
      yield encoded
      yield* literalsOf(content.stream(), segments)
    },
  }
}

function literalsIn(bytes: Uint8Array, segments: readonly Segment[]): Uint8Array[] {
  const literals: Uint8Array[] = []
  let at = 0
  for (const { base, length } of segments) {
    if (base < 0) literals.push(bytes.subarray(at, at + length))
    at += length
  }
  return literals
}

async function* literalsOf(
  content: AsyncIterable<Uint8Array>,
  segments: readonly Segment[],
): AsyncGenerator<Uint8Array> {
  let current = 0
  let left = segments[0]?.length ?? 0
  for await (const chunk of content) {
    let at = 0
    while (at < chunk.length) {
      const length = Math.min(left, chunk.length - at)
      if ((segments[current]?.base ?? 0) < 0) yield chunk.subarray(at, at + length)
      at += length
      left -= length
      if (left === 0) left = segments[++current]?.length ?? Infinity
    }
  }
}

interface Packed {
  readonly packing: 'br' | 'raw'
  readonly body: Body
  dispose(): Promise<void>
}

async function packInMemory(payload: Body): Promise<Packed> {
  const bytes = await bytesIn(payload)
  const packed = await pack(bytes)
  const helps = packed.length < bytes.length * PACKS
  return { packing: helps ? 'br' : 'raw', body: bodyOf(helps ? packed : bytes), dispose: async () => {} }
}

async function packToSpool(payload: Body, spool: Spool): Promise<Packed> {
  const file = await spool.create()
  try {
    for await (const piece of packStream(payload.stream())) await file.write(piece)
  } catch (error) {
    await file.dispose()
    throw error
  }
  if (file.size < payload.size * PACKS)
    return { packing: 'br', body: spooled(file), dispose: () => file.dispose() }
  await file.dispose()
  return { packing: 'raw', body: payload, dispose: async () => {} }
}

function spooled(file: SpoolFile): Body {
  return { size: file.size, bytes: undefined, stream: () => file.stream() }
}

function joined(header: Buffer, payload: Body): Body {
  if (payload.bytes !== undefined && payload.size <= IN_MEMORY_BYTES)
    return bodyOf(Buffer.concat([header, payload.bytes]))
  return {
    size: header.length + payload.size,
    bytes: undefined,
    async *stream() {
      yield header
      yield* payload.stream()
    },
  }
}
