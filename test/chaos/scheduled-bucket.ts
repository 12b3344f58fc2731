import { bytesOf, conflict } from '../../src/bucket/index.ts'
import type { Bucket, Found, Tag } from '../../src/bucket/index.ts'
import type { Store, Stored } from './store.ts'

/** One operation on the store, as the scheduler sees it. Operations that touch nothing in common can swap places. */
export interface Operation<T = unknown> {
  readonly kind: 'get' | 'head' | 'put' | 'delete' | 'list'
  readonly key: string
  readonly writes: boolean
  execute(): T
}

/** Carries an operation out, when the scheduler says so: at once, late, twice, never, or without telling. */
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

  const head = (key: string) =>
    gate({ kind: 'head', key, writes: false, execute: () => entryOf(key, store.get(key)) })

  return {
    kind: 'chaos',
    label: 'chaos:',
    can: { conditionalDelete: store.conditionalDelete, listsInOneRequest: true },
    get,
    head,
    async put(key, body, when) {
      const bytes = Buffer.from(await bytesOf(body))
      const tag = await gate({ kind: 'put', key, writes: true, execute: () => store.put(key, bytes, when) })
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

function entryOf(key: string, stored: Stored | undefined) {
  if (stored === undefined) return undefined
  return { key, tag: stored.tag, size: stored.bytes.length, modifiedAt: stored.modifiedAt }
}

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
