import type { Readable } from 'node:stream'
import type { Entry, Found, GetOptions, Tag } from '../../bucket.ts'
import { throwIfAborted } from '../../../base/retry.ts'
import { otherBytes, unavailable } from './failures.ts'
import { isAskedFor } from './part.ts'
import type { Part } from './part.ts'

export interface FoundOptions {
  readonly entry: Entry
  readonly label: string
  readonly answer: Readable
  /** Which bytes must arrive. */
  readonly part: Part
  /** These bytes of the same object. Throws if the store reports that the object has changed. */
  resume(range: NonNullable<GetOptions['range']>): Promise<{
    readonly answer: Readable
    readonly part: Part | undefined
    /** Not every store heeds a condition on a part. */
    readonly tag: Tag | undefined
  }>
  readonly signal: AbortSignal | undefined
}

const RESUMES = 4
const CHEAP_TO_DRAIN = 64 * 1024

/** An object whose bytes are on the way. A connection that breaks is picked up where it broke. */
export function foundObject(options: FoundOptions): Found {
  const { entry, answer } = options
  const { start, length } = options.part

  async function resume(from: number): Promise<Readable> {
    const range = { start: start + from, end: start + length - 1 }
    const rest = await options.resume(range)
    const { tag, part } = rest
    if (tag === entry.tag && part?.size === entry.size && isAskedFor(part, range)) return rest.answer
    rest.answer.destroy()
    throw otherBytes(options.label, entry.key)
  }

  async function* streamFrom(first: Readable, from: number): AsyncGenerator<Uint8Array> {
    let got = from
    let source = first
    for (let resumes = 0; ; resumes++) {
      try {
        for await (const part of source as AsyncIterable<Buffer>) {
          got += part.length
          if (got > length) break
          yield part
        }
      } catch (error) {
        throwIfAborted(options.signal)
        if (resumes >= RESUMES) throw brokenOff(error)
      }
      checkLength(got)
      if (got === length) return
      if (resumes >= RESUMES) throw brokenOff(undefined)
      source = await resume(got)
    }
  }

  /** A chunked answer may continue after the announced bytes. */
  function checkLength(got: number): void {
    if (got > length) throw otherBytes(options.label, entry.key)
  }

  function brokenOff(cause: unknown): Error {
    return unavailable(options.label, `the answer was cut off while reading "${entry.key}"`, {}, cause)
  }

  async function bytes(): Promise<Buffer> {
    const parts = await collected(answer)
    let got = 0
    for (const part of parts) got += part.length
    checkLength(got)
    if (got < length) {
      throwIfAborted(options.signal)
      for await (const part of streamFrom(await resume(got), got)) parts.push(part)
    }
    const [only] = parts
    return parts.length === 1 && only instanceof Buffer ? only : Buffer.concat(parts)
  }

  return {
    ...entry,
    bytes,
    stream: () => streamFrom(answer, 0),
    discard() {
      // A short rest is read so that the connection lives on.
      if (length <= CHEAP_TO_DRAIN) answer.on('error', () => undefined).resume()
      else answer.destroy()
    },
  }
}

/** What arrives before the end or a break. Uses events, which cost half as much as an iterator. */
function collected(answer: Readable): Promise<Uint8Array[]> {
  return new Promise((resolve) => {
    const parts: Uint8Array[] = []
    if (answer.destroyed) return resolve(parts)
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.once('end', () => resolve(parts))
    answer.once('error', () => resolve(parts))
    answer.once('close', () => resolve(parts))
  })
}

/** For a range that starts past the end: checks the size that a look at the object found. */
export function pastTheEnd(
  entry: Entry | undefined,
  { range, ifNoneMatch }: GetOptions,
  label: string,
): Found | 'unchanged' | undefined {
  if (entry === undefined) return undefined
  if (entry.tag === ifNoneMatch) return 'unchanged'
  if ((range?.start ?? 0) < entry.size) throw otherBytes(label, entry.key)
  return {
    ...entry,
    bytes: () => Promise.resolve(Buffer.alloc(0)),
    async *stream() {},
    discard() {},
  }
}
