import { bytesOf, conflict } from '../../../src/bucket/index.ts'
import type { Bucket, Found, Leases, StoreLocks, Tag } from '../../../src/bucket/index.ts'
import type { Store, Stored } from './store.ts'
import { entryOf } from './store.ts'

/** One operation on the store, as the scheduler sees it. Operations that touch nothing in common can swap places. */
export interface Operation<T = unknown> {
  readonly kind: 'get' | 'head' | 'put' | 'delete' | 'list' | 'lease'
  readonly key: string
  readonly writes: boolean
  execute(): T
}

/** Carries an operation out when the scheduler says so: at once, late, twice, never, or without an answer. */
export type Gate = <T>(operation: Operation<T>) => Promise<T>

/** For what is not part of a run: every operation happens at once. */
// eslint-disable-next-line @typescript-eslint/require-await -- throws become rejections
export const openGate: Gate = async (operation) => operation.execute()

/** A bucket over the shared store that asks the gate before each operation. */
export function openScheduledBucket(store: Store, gate: Gate): Bucket {
  function get(key: string, options: { ifNoneMatch: Tag }): Promise<Found | 'unchanged' | undefined>
  function get(key: string, options?: GetOptions): Promise<Found | undefined>
  async function get(key: string, options: GetOptions = {}): Promise<Found | 'unchanged' | undefined> {
    const stored = await gate({ kind: 'get', key, writes: false, execute: () => store.get(key) })
    if (stored === undefined) return undefined
    return options.ifNoneMatch === stored.tag ? 'unchanged' : foundOf(key, stored, options.range)
  }

  const found = (key: string) => {
    const stored = store.get(key)
    return stored === undefined ? undefined : entryOf(key, stored)
  }
  const head = (key: string) => gate({ kind: 'head', key, writes: false, execute: () => found(key) })

  return {
    kind: 'chaos',
    label: 'chaos:',
    can: { conditionalDelete: store.conditionalDelete, listsInOneRequest: true },
    get,
    head,
    ...(store.leases === true ? { locks: leasedBy(store, gate) } : {}),
    async put(key, body, when, { lease } = {}) {
      const bytes = Buffer.from(await bytesOf(body))
      const execute = () => store.put(key, bytes, when, lease)
      const tag = await gate({ kind: 'put', key, writes: true, execute })
      return tag === undefined ? conflict : { kind: 'written', tag }
    },
    async delete(key, when) {
      if (!store.conditionalDelete) {
        // As adapters do it on such stores: look, then delete whatever is there by then.
        const entry = await head(key)
        if (entry === undefined) return 'absent'
        if (entry.tag !== when) return conflict
      }
      const condition = store.conditionalDelete ? when : 'always'
      const execute = () => store.delete(key, condition)
      const answer = await gate({ kind: 'delete', key, writes: true, execute })
      return answer === 'conflict' ? conflict : answer
    },
    async *list(prefix, options = {}) {
      const execute = () => store.list(prefix, options.after)
      const entries = await gate({ kind: 'list', key: prefix, writes: false, execute })
      if (entries.length > 0) yield options.pageSize === 1 ? entries.slice(0, 1) : entries
    },
    close: () => Promise.resolve(),
  }
}

interface GetOptions {
  readonly ifNoneMatch?: Tag
  readonly range?: { readonly start: number; readonly end: number }
}

function leasedBy(store: Store, gate: Gate): StoreLocks {
  const lease = <T>(key: string, execute: () => T) => gate({ kind: 'lease', key, writes: true, execute })
  const look = (key: string) => {
    const stored = store.get(key)
    return stored && { ...entryOf(key, stored), leased: stored.lease !== undefined, note: stored.note }
  }
  const answer = <T extends string>(outcome: T) => (outcome === 'conflict' ? conflict : outcome)
  const leases: Leases = {
    look: (key) => gate({ kind: 'head', key, writes: false, execute: () => look(key) }),
    isHeld: (key, id) =>
      gate({ kind: 'head', key, writes: false, execute: () => store.get(key)?.lease === id }),
    acquire: (key, id, when) => lease(key, () => store.acquire(key, id, when)),
    change: (key, from, to) => lease(key, () => store.change(key, from, to)),
    async note({ key, tag }, id, note) {
      const noted = await lease(key, () => store.note(key, id, note, tag))
      return noted === undefined ? conflict : { kind: 'written', tag: noted }
    },
    release: async (key, id) => answer(await lease(key, () => store.release(key, id, 'always'))) as Released,
    break: async (key, when) =>
      answer(await lease(key, () => store.release(key, undefined, when))) as Released,
  }
  return { placeOf: (key) => key, isLock: ({ leased }) => leased === true, leases }
}

type Released = Awaited<ReturnType<Leases['release']>>

function foundOf(key: string, stored: Stored, range: GetOptions['range']): Found {
  const bytes = range === undefined ? stored.bytes : stored.bytes.subarray(range.start, range.end + 1)
  return {
    key,
    tag: stored.tag,
    size: stored.bytes.length,
    modifiedAt: stored.modifiedAt,
    bytes: () => Promise.resolve(Buffer.from(bytes)),
    // eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface
    async *stream() {
      yield bytes
    },
    discard() {},
  }
}
