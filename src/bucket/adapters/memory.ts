import { createHash } from 'node:crypto'
import { TacoError } from '../../base/errors.ts'
import { bytesOf } from '../body.ts'
import { conflict } from '../bucket.ts'
import type { Body, Bucket, Entry, Found, GetOptions, ListOptions, StoreClock, Tag } from '../bucket.ts'
import { checkKey, checkPrefix, compareKeys } from '../keys.ts'
import { throwIfAborted } from '../../base/retry.ts'

export interface MemoryOptions {
  /** Tags are hashes, as on S3: equal bytes give an equal tag, so a tag can return. Otherwise a counter. */
  readonly contentHashTags?: boolean
  readonly conditionalDelete?: boolean
  readonly listsInOneRequest?: boolean
  /** Keys per page if the caller sets no limit. */
  readonly pageSize?: number
  readonly now?: () => number
}

interface Stored {
  readonly bytes: Buffer
  readonly tag: Tag
  readonly modifiedAt: number
}

/** A bucket for tests, gone with the process. Checks and changes happen in one turn, so they are atomic. */
export function openMemoryBucket(options: MemoryOptions = {}): Bucket & StoreClock {
  const { contentHashTags = false, conditionalDelete = true, listsInOneRequest = false } = options
  const now = options.now ?? Date.now
  const objects = new Map<string, Stored>()
  let sorted: readonly string[] | undefined
  let counter = 0

  function sortedKeys(): readonly string[] {
    return (sorted ??= [...objects.keys()].toSorted(compareKeys))
  }

  function get(
    key: string,
    options: GetOptions & { readonly ifNoneMatch: Tag },
  ): Promise<Found | 'unchanged' | undefined>
  function get(key: string, options?: GetOptions): Promise<Found | undefined>
  // eslint-disable-next-line @typescript-eslint/require-await -- throws become rejections
  async function get(key: string, options: GetOptions = {}): Promise<Found | 'unchanged' | undefined> {
    checkKey(key)
    throwIfAborted(options.signal)
    const stored = objects.get(key)
    if (stored === undefined) return undefined
    if (options.ifNoneMatch === stored.tag) return 'unchanged'
    const { range } = options
    const bytes = range === undefined ? stored.bytes : stored.bytes.subarray(range.start, range.end + 1)
    return {
      ...entryOf(key, stored),
      bytes: () => Promise.resolve(Buffer.from(bytes)),
      // eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface
      async *stream() {
        for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
      },
      discard() {},
    }
  }

  return {
    kind: 'memory',
    label: 'memory:',
    can: { conditionalDelete, listsInOneRequest },
    get,

    // eslint-disable-next-line @typescript-eslint/require-await -- throws become rejections
    async head(key, options) {
      checkKey(key)
      throwIfAborted(options?.signal)
      const stored = objects.get(key)
      return stored === undefined ? undefined : entryOf(key, stored)
    },

    async put(key, body, when, options) {
      checkKey(key)
      throwIfAborted(options?.signal)
      const bytes = await wholeBody(body)
      throwIfAborted(options?.signal)
      const before = objects.get(key)
      if (when === 'absent' ? before !== undefined : before?.tag !== when) return conflict
      const tag = (contentHashTags ? createHash('md5').update(bytes).digest('hex') : `${++counter}`) as Tag
      objects.set(key, { bytes, tag, modifiedAt: now() })
      if (before === undefined) sorted = undefined
      return { kind: 'written', tag }
    },

    async delete(key, when, options) {
      checkKey(key)
      throwIfAborted(options?.signal)
      const before = objects.get(key)
      if (before === undefined) return 'absent'
      if (before.tag !== when) return conflict
      if (!conditionalDelete) {
        // As on such stores: between the look and the delete, others may write.
        await Promise.resolve()
        if (!objects.has(key)) return 'absent'
      }
      objects.delete(key)
      sorted = undefined
      return 'deleted'
    },

    async *list(prefix, listing: ListOptions = {}) {
      checkPrefix(prefix)
      const size = listing.pageSize ?? (listsInOneRequest ? Infinity : (options.pageSize ?? 1000))
      let after = listing.after
      for (;;) {
        throwIfAborted(listing.signal)
        const { page, more } = pageOf(sortedKeys(), { prefix, after, size })
        const entries: Entry[] = []
        for (const key of page) {
          const stored = objects.get(key)
          if (stored !== undefined) entries.push(entryOf(key, stored))
        }
        await Promise.resolve()
        if (entries.length > 0) yield entries
        if (!more) return
        after = page.at(-1)
      }
    },

    close: () => Promise.resolve(),
    storeTime: () => Promise.resolve(now()),
  }
}

function entryOf(key: string, stored: Stored): Entry {
  return { key, tag: stored.tag, size: stored.bytes.length, modifiedAt: stored.modifiedAt }
}

async function wholeBody(body: Body): Promise<Buffer> {
  const bytes = Buffer.from(await bytesOf(body))
  if (bytes.length !== body.size) {
    throw new TacoError('UNEXPECTED', `The body should have ${body.size} bytes but has ${bytes.length}.`)
  }
  return bytes
}

interface PageRequest {
  readonly prefix: string
  readonly after: string | undefined
  readonly size: number
}

function pageOf(keys: readonly string[], request: PageRequest): { page: readonly string[]; more: boolean } {
  const { prefix, after, size } = request
  const page: string[] = []
  const from = after !== undefined && compareKeys(after, prefix) > 0 ? after : prefix
  for (let i = firstNotBefore(keys, from); i < keys.length; i++) {
    const key = keys[i] ?? ''
    if (!key.startsWith(prefix)) {
      if (compareKeys(key, prefix) > 0) break
      continue
    }
    if (key === after) continue
    if (page.length >= size) return { page, more: true }
    page.push(key)
  }
  return { page, more: false }
}

function firstNotBefore(keys: readonly string[], from: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(keys[middle] ?? '', from) < 0) low = middle + 1
    else high = middle
  }
  return low
}
