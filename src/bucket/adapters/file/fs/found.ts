import { busy } from '../faults.ts'
import { printOf, tagOf } from '../generations/generation.ts'
import type { Entry, Found } from '../../../bucket.ts'
import type { FileStat, ReadableFile } from './fs-ops.ts'
import type { Generation } from '../generations/generation.ts'
import type { Place } from '../generations/names.ts'

/**
 * Objects up to this size are read at once and their file is closed, so that a forgotten object leaves nothing open.
 */
const SMALL = 128 * 1024
const PART = 512 * 1024
const MAX_POOLED = 16

export interface Range {
  readonly start: number
  readonly end: number
}

export function entryOf(key: string, generation: Generation): Entry {
  return { key, tag: tagOf(generation), size: generation.size, modifiedAt: generation.modifiedAt }
}

/** Undefined when the file changed while it was read; only outside files do. Takes over the file. */
export async function foundOf(
  place: Place,
  generation: Generation,
  file: ReadableFile,
  range: Range | undefined,
): Promise<Found | undefined> {
  const start = Math.min(range?.start ?? 0, generation.size)
  const end = Math.min(range === undefined ? generation.size : range.end + 1, generation.size)
  const entry = entryOf(place.key, generation)
  const unchanged = (stat: FileStat) => generation.kind !== 'outside' || printOf(stat) === generation.id
  const length = Math.max(end - start, 0)
  if (length > SMALL) return large(entry, file, { start, length, unchanged })
  const bytes = Buffer.allocUnsafeSlow(length)
  try {
    if (
      !(await readAll(file, bytes, start)) ||
      (generation.kind === 'outside' && !unchanged(await file.stat()))
    )
      return undefined
  } finally {
    const closed = file.close()
    if (closed instanceof Promise) await closed
  }
  return inMemory(entry, bytes)
}

function inMemory(entry: Entry, bytes: Buffer): Found {
  return {
    ...entry,
    bytes: () => Promise.resolve(bytes),
    // eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface
    async *stream() {
      yield bytes
    },
    discard() {},
  }
}

interface Slice {
  readonly start: number
  readonly length: number
  readonly unchanged: (stat: FileStat) => boolean
}

/** **A chunk of `stream()` is valid until you request the next one**: its memory is reused. `bytes()` is yours. */
function large(entry: Entry, file: ReadableFile, slice: Slice): Found {
  let taken = false
  function take(): void {
    if (taken) throw new Error(`${entry.key} was read already`)
    taken = true
  }
  async function check(): Promise<void> {
    if (!slice.unchanged(await file.stat())) throw busy(entry.key)
  }
  return {
    ...entry,
    async bytes() {
      take()
      try {
        const bytes = Buffer.allocUnsafeSlow(slice.length)
        if (!(await readAll(file, bytes, slice.start))) throw busy(entry.key)
        await check()
        return bytes
      } finally {
        await file.close()
      }
    },
    async *stream() {
      take()
      const buffer = pool.pop() ?? Buffer.allocUnsafeSlow(PART)
      try {
        for (let at = 0; at < slice.length;) {
          const part = buffer.subarray(0, Math.min(PART, slice.length - at))
          if (!(await readAll(file, part, slice.start + at))) throw busy(entry.key)
          at += part.byteLength
          if (at === slice.length) await check()
          yield part
        }
      } finally {
        if (pool.length < MAX_POOLED) pool.push(buffer)
        await file.close()
      }
    },
    discard() {
      if (taken) return
      taken = true
      void file.close()
    },
  }
}

const pool: Buffer[] = []

async function readAll(file: ReadableFile, into: Uint8Array, position: number): Promise<boolean> {
  for (let at = 0; at < into.byteLength;) {
    const asked = file.read(at === 0 ? into : into.subarray(at), position + at)
    const count = asked instanceof Promise ? await asked : asked
    if (count === 0) return false
    at += count
  }
  return true
}
