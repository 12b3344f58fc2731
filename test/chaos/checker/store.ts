import { createHash } from 'node:crypto'
import type { Entry, HeldLease, Tag } from '../../../src/bucket/index.ts'
import { compareKeys } from '../../../src/bucket/keys.ts'

/** What every actor of a chaos run shares: a map of objects, changed by one atomic operation at a time. */
export interface Stored {
  readonly bytes: Buffer
  readonly tag: Tag
  readonly modifiedAt: number
  /** The id of its lease, and the holder's note: see `Leases` of the bucket. */
  readonly lease?: string | undefined
  readonly note?: string | undefined
}

export interface StoreOptions {
  /** Tags are hashes, as on S3: equal bytes give an equal tag, so a tag can return. Otherwise a counter. */
  readonly contentHashTags: boolean
  readonly conditionalDelete: boolean
  /** Locks are leases on the state, as on Azure, not objects beside it. */
  readonly leases?: boolean
}

/** Called before every change. */
export type Watch = (key: string, bytes: Buffer | undefined) => void

export interface Store extends StoreOptions {
  get(key: string): Stored | undefined
  /** Undefined: the condition does not hold. `always` is what only outsiders do. */
  put(key: string, bytes: Buffer, when: 'absent' | 'always' | Tag, lease?: HeldLease): Tag | undefined
  delete(key: string, when: 'always' | Tag): 'deleted' | 'absent' | 'conflict'
  acquire(key: string, id: string, when: 'always' | Tag): Tag | undefined
  change(key: string, from: string, to: string): boolean
  note(key: string, id: string, note: string | undefined, when: 'always' | Tag): Tag | undefined
  /** Undefined: whosever it is. */
  release(key: string, id: string | undefined, when: 'always' | Tag): 'deleted' | 'absent' | 'conflict'
  list(prefix: string, after?: string): readonly Entry[]
  keys(): readonly string[]
  /** An independent copy with its own watcher. */
  copy(watch: Watch, now: () => number): Store
}

export function createStore(options: StoreOptions, watch: Watch = () => {}, now = () => 0): Store {
  return storeOf(options, new Map(), 0, watch, now)
}

function storeOf(
  options: StoreOptions,
  objects: Map<string, Stored>,
  counted: number,
  watch: Watch,
  now: () => number,
): Store {
  let counter = counted
  const tagOf = (bytes: Buffer) =>
    (options.contentHashTags ? createHash('md5').update(bytes).digest('hex') : `g${++counter}`) as Tag

  return {
    ...options,
    get: (key) => objects.get(key),
    put(key, bytes, when, lease) {
      const before = objects.get(key)
      if (before?.lease !== lease?.id) return undefined
      if (when === 'absent' && before !== undefined) return undefined
      if (when !== 'absent' && when !== 'always' && before?.tag !== when) return undefined
      watch(key, bytes)
      const tag = tagOf(bytes)
      objects.set(key, { bytes, tag, modifiedAt: now(), lease: lease?.id, note: lease?.note })
      return tag
    },
    delete(key, when) {
      const before = objects.get(key)
      if (before === undefined) return 'absent'
      if (before.lease !== undefined || (when !== 'always' && before.tag !== when)) return 'conflict'
      watch(key, undefined)
      objects.delete(key)
      return 'deleted'
    },
    acquire(key, id, when) {
      const before = objects.get(key)
      if (before === undefined || (when !== 'always' && before.tag !== when)) return undefined
      if (before.lease !== undefined && before.lease !== id) return undefined
      objects.set(key, { ...before, lease: id })
      return before.tag
    },
    change(key, from, to) {
      const before = objects.get(key)
      if (before?.lease === undefined || (before.lease !== from && before.lease !== to)) return false
      objects.set(key, { ...before, lease: to })
      return true
    },
    note(key, id, note, when) {
      const before = objects.get(key)
      if (before?.lease !== id || (when !== 'always' && before.tag !== when)) return undefined
      const tag = `g${++counter}` as Tag
      objects.set(key, { ...before, tag, note })
      return tag
    },
    release(key, id, when) {
      const before = objects.get(key)
      if (before?.lease === undefined) return 'absent'
      if (id !== undefined && before.lease !== id) return 'conflict'
      if (when !== 'always' && before.tag !== when) return 'conflict'
      objects.set(key, { ...before, lease: undefined })
      return 'deleted'
    },
    list(prefix, after = '') {
      const found = [...objects].filter(([key]) => key.startsWith(prefix) && compareKeys(key, after) > 0)
      return found.sort(([a], [b]) => compareKeys(a, b)).map(([key, stored]) => entryOf(key, stored))
    },
    keys: () => [...objects.keys()],
    copy: (newWatch, newNow) => storeOf(options, new Map(objects), counter, newWatch, newNow),
  }
}

export function entryOf(key: string, { bytes, tag, modifiedAt, lease }: Stored): Entry {
  return { key, tag, size: bytes.length, modifiedAt, ...(lease === undefined ? {} : { leased: true }) }
}
