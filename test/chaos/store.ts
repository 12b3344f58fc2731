import { createHash } from 'node:crypto'
import type { Entry, Tag } from '../../src/bucket/index.ts'
import { compareKeys } from '../../src/bucket/keys.ts'

/** What every actor of a chaos run shares: a map of objects, changed by one atomic operation at a time. */
export interface Stored {
  readonly bytes: Buffer
  readonly tag: Tag
  readonly modifiedAt: number
}

export interface StoreOptions {
  /** Tags are hashes, as on S3: equal bytes give an equal tag, so a tag can return. Otherwise a counter. */
  readonly contentHashTags: boolean
  readonly conditionalDelete: boolean
}

/** Told of every change, before it happens. */
export type Watch = (key: string, bytes: Buffer | undefined) => void

export interface Store extends StoreOptions {
  get(key: string): Stored | undefined
  /** Undefined: the condition does not hold. `always` is what only outsiders do. */
  put(key: string, bytes: Buffer, when: 'absent' | 'always' | Tag): Tag | undefined
  delete(key: string, when: 'always' | Tag): 'deleted' | 'absent' | 'conflict'
  list(prefix: string, after?: string): readonly Entry[]
  keys(): readonly string[]
  /** An independent copy, watched by somebody else. */
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
    put(key, bytes, when) {
      const before = objects.get(key)
      if (when === 'absent' && before !== undefined) return undefined
      if (when !== 'absent' && when !== 'always' && before?.tag !== when) return undefined
      watch(key, bytes)
      const tag = tagOf(bytes)
      objects.set(key, { bytes, tag, modifiedAt: now() })
      return tag
    },
    delete(key, when) {
      const before = objects.get(key)
      if (before === undefined) return 'absent'
      if (when !== 'always' && before.tag !== when) return 'conflict'
      watch(key, undefined)
      objects.delete(key)
      return 'deleted'
    },
    list(prefix, after = '') {
      const found = [...objects].filter(([key]) => key.startsWith(prefix) && compareKeys(key, after) > 0)
      return found
        .sort(([a], [b]) => compareKeys(a, b))
        .map(([key, { bytes, tag, modifiedAt }]) => ({ key, tag, size: bytes.length, modifiedAt }))
    },
    keys: () => [...objects.keys()],
    copy: (newWatch, newNow) => storeOf(options, new Map(objects), counter, newWatch, newNow),
  }
}
