import { hash } from 'node:crypto'

/**
 * Content-defined chunks: the bytes themselves decide where they are cut, so an insertion moves the cuts behind it
 * along with the content. A version is compared with its base by the digests of their chunks alone. The algorithm is
 * FastCDC (Xia et al., USENIX ATC 2016): a gear hash and two masks around the average.
 */
export interface ChunkIndex {
  /** The average chunk size this index was made with; two indexes match only when it is equal. */
  readonly average: number
  /** Bytes of content. */
  readonly size: number
  /** Where each chunk ends. */
  readonly ends: Uint32Array
  /** Four words per chunk: the first 16 bytes of its sha256. */
  readonly words: Uint32Array
  /** Open addressing by the first word; chunk number + 1, 0 is free. */
  readonly table: Uint32Array
  /** What keeping it costs, for a cache with a limit. */
  readonly byteSize: number
}

/** A run of content: `base` is the position of the same bytes in the base, or -1 if they are not there. */
export interface Segment {
  readonly base: number
  readonly length: number
}

const SMALLEST_AVERAGE = 2048
const MOST_CHUNKS = 8192

/** Keeps the number of chunks bounded, so that an index stays small whatever the size of the state. */
export function averageFor(size: number): number {
  let average = SMALLEST_AVERAGE
  while (size / average > MOST_CHUNKS) average *= 2
  return average
}

/** Cuts what is pushed and finds the parts that are in the base. Pushed bytes may be reused afterwards. */
export class Chunker {
  private readonly average: number
  private readonly most: number
  private readonly against: ChunkIndex | undefined
  private readonly ends: number[] = []
  private readonly words: number[] = []
  private readonly segments: { base: number; length: number }[] = []
  /** What waits for its chunk to be complete: less than the largest chunk, with room for as much again. */
  private held: Uint8Array | undefined = undefined
  private heldBytes = 0
  private size = 0
  /** The chunk of the base after the one found last: most of the time it is the next match. */
  private expected = 0

  constructor(average: number, base?: ChunkIndex) {
    this.average = average
    this.most = average * 4
    this.against = base?.average === average ? base : undefined
  }

  push(bytes: Uint8Array): void {
    let from = this.heldBytes === 0 ? this.take(bytes, false) : 0
    while (from < bytes.length) {
      const part = bytes.subarray(from, from + this.most)
      this.held ??= new Uint8Array(this.most * 2)
      this.held.set(part, this.heldBytes)
      const total = this.heldBytes + part.length
      const rest = this.take(this.held.subarray(0, total), false)
      this.held.copyWithin(0, rest, total)
      this.heldBytes = total - rest
      from += part.length
    }
  }

  /** Everything there is, at once. */
  pushAll(bytes: Uint8Array): void {
    this.take(bytes, true)
  }

  finish(): { readonly index: ChunkIndex; readonly segments: readonly Segment[] } {
    if (this.held !== undefined) this.take(this.held.subarray(0, this.heldBytes), true)
    const index = buildIndex(this.average, Uint32Array.from(this.ends), Uint32Array.from(this.words))
    return { index, segments: this.segments }
  }

  private take(data: Uint8Array, isLast: boolean): number {
    const { against, words } = this
    let at = 0
    while (at < data.length) {
      if (!isLast && data.length - at < this.most) break
      let length = against === undefined ? 0 : this.tryExpected(data, at, against, isLast)
      if (length === 0) {
        length = cut(data, at, this.average)
        this.remember(data, at, length)
        const found = against === undefined ? -1 : find(against, words, words.length - 4)
        this.note(against === undefined || found < 0 ? -1 : startOf(against, found), length)
        this.expected = found < 0 ? -1 : found + 1
      }
      at += length
    }
    return at
  }

  /** Saves looking for the cut: equal bytes after an equal cut are cut equally. */
  private tryExpected(data: Uint8Array, at: number, against: ChunkIndex, isLast: boolean): number {
    const { expected, words } = this
    if (expected < 0 || expected >= against.ends.length) return 0
    const start = startOf(against, expected)
    const length = (against.ends[expected] as number) - start
    const left = data.length - at
    if (length > left) return 0
    // The base's last chunk was cut by its end, not by its bytes.
    if (expected === against.ends.length - 1 && !(isLast && left === length)) return 0
    this.remember(data, at, length)
    const last = words.length - 4
    for (let i = 0; i < 4; i++) {
      if (words[last + i] !== against.words[expected * 4 + i]) {
        this.forget()
        return 0
      }
    }
    this.note(start, length)
    this.expected++
    return length
  }

  private remember(data: Uint8Array, at: number, length: number): void {
    const digest = hash('sha256', data.subarray(at, at + length), 'binary')
    for (let i = 0; i < 16; i += 4) {
      const high = (digest.charCodeAt(i) << 24) | (digest.charCodeAt(i + 1) << 16)
      this.words.push((high | (digest.charCodeAt(i + 2) << 8) | digest.charCodeAt(i + 3)) >>> 0)
    }
    this.size += length
    this.ends.push(this.size)
  }

  private forget(): void {
    this.ends.pop()
    this.size = this.ends.at(-1) ?? 0
    this.words.length -= 4
  }

  private note(from: number, length: number): void {
    const last = this.segments.at(-1)
    const goesOn =
      last !== undefined && (from < 0 ? last.base < 0 : last.base >= 0 && last.base + last.length === from)
    if (goesOn) last.length += length
    else this.segments.push({ base: from, length })
  }
}

/** The chunk index of content that is read once more, for when none is at hand. */
export async function indexChunks(content: AsyncIterable<Uint8Array>, average: number): Promise<ChunkIndex> {
  const chunker = new Chunker(average)
  for await (const bytes of content) chunker.push(bytes)
  return chunker.finish().index
}

function buildIndex(average: number, ends: Uint32Array, words: Uint32Array): ChunkIndex {
  let slots = 16
  while (slots < ends.length * 2) slots *= 2
  const table = new Uint32Array(slots)
  for (let chunk = 0; chunk < ends.length; chunk++) {
    if (search(table, words, words, chunk * 4) >= 0) continue
    let slot = (words[chunk * 4] as number) & (slots - 1)
    while (table[slot] !== 0) slot = (slot + 1) & (slots - 1)
    table[slot] = chunk + 1
  }
  const byteSize = ends.byteLength + words.byteLength + table.byteLength + 512
  return { average, size: ends.at(-1) ?? 0, ends, words, table, byteSize }
}

function find(index: ChunkIndex, words: ArrayLike<number>, at: number): number {
  return search(index.table, index.words, words, at)
}

function search(table: Uint32Array, known: Uint32Array, words: ArrayLike<number>, at: number): number {
  const mask = table.length - 1
  for (let slot = (words[at] as number) & mask; table[slot] !== 0; slot = (slot + 1) & mask) {
    const chunk = (table[slot] as number) - 1
    let equal = 0
    while (equal < 4 && known[chunk * 4 + equal] === words[at + equal]) equal++
    if (equal === 4) return chunk
  }
  return -1
}

function startOf(index: ChunkIndex, chunk: number): number {
  return chunk === 0 ? 0 : (index.ends[chunk - 1] as number)
}

/** Arbitrary but fixed: another table would cut elsewhere, and nothing old would match. */
const GEAR = gearTable()

function gearTable(): Int32Array {
  const digests = Array.from({ length: 32 }, (_, i) => hash('sha256', `opentaco gear ${i}`, 'buffer'))
  const bytes = Buffer.concat(digests)
  return Int32Array.from({ length: 256 }, (_, i) => bytes.readInt32LE(i * 4))
}

/**
 * The length of the chunk that starts at `from`; the end of the data is an end too. One loop: V8 compiles it while the
 * first chunk is cut, and would throw it away at the first byte of a second loop that it has not seen running yet.
 */
function cut(data: Uint8Array, from: number, average: number): number {
  const bits = Math.log2(average)
  const strict = -1 << (32 - bits - 1)
  const loose = -1 << (32 - bits + 1)
  const end = Math.min(data.length, from + average * 4)
  const middle = from + average
  let gear = 0
  for (let i = from + average / 2; i < end; i++) {
    gear = ((gear << 1) + (GEAR[data[i] as number] as number)) | 0
    if ((gear & (i < middle ? strict : loose)) === 0) return i + 1 - from
  }
  return end - from
}
