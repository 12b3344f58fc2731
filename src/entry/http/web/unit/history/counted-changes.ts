import { LRUCache } from 'lru-cache'
import { isTacoError } from '../../../../../base/errors.ts'
import type { Caller, UnitRef, VersionView, Versions } from '../../../../../state/index.ts'
import { diffWords } from './diff-words.ts'
import { readDiff } from './read-diff.ts'

/** Larger states are compared on request only. */
const MOST_BYTES = 1_000_000
const MOST_KEPT = 10_000

/** By the unit and the id of the version. Versions never change, so what was counted once stays right. */
const counted = new WeakMap<Versions, LRUCache<string, string>>()

function keptIn(versions: Versions): LRUCache<string, string> {
  const kept = counted.get(versions) ?? new LRUCache<string, string>({ max: MOST_KEPT })
  counted.set(versions, kept)
  return kept
}

/** Not by the id alone: a caller may know the id of a version of a unit that they may not see. */
const keyOf = ({ unit }: UnitRef, id: string) => `${unit} ${id}`

/** How each version differs from the one before it, in words, by its id; those that were not counted yet have none. */
export function countedAmong(
  versions: Versions,
  ref: UnitRef,
  items: readonly VersionView[],
): ReadonlyMap<string, string> {
  const kept = keptIn(versions)
  return new Map(
    items.flatMap(({ id }) => {
      const words = kept.get(keyOf(ref, id))
      return words === undefined ? [] : [[id, words] as const]
    }),
  )
}

/** Whether it is worth the reads. */
export function isCountable({ seq, size, encrypted, unreadable, status }: VersionView): boolean {
  return seq > 1 && size <= MOST_BYTES && !encrypted && !unreadable && status !== 'superseded'
}

/** Compares the version with the one before it. Undefined: that is not possible. `ref`: by id. */
export async function countChanges(
  versions: Versions,
  ref: UnitRef,
  id: string,
  caller: Caller,
): Promise<string | undefined> {
  const kept = keptIn(versions).get(keyOf(ref, id))
  if (kept !== undefined) return kept
  try {
    const version = await versions.get(ref, id, caller)
    if (!isCountable(version)) return undefined
    const diff = await readDiff(versions, ref, { from: String(version.seq - 1), to: version.id }, caller)
    if (diff === 'too large' || diff.encrypted) return undefined
    const words = diffWords(diff)
    keptIn(versions).set(keyOf(ref, version.id), words)
    return words
  } catch (error) {
    // There is no such version, or the one before it was removed by retention, is damaged, or is no state.
    if (
      !isTacoError(error, 'BAD_REQUEST', 'NOT_FOUND', 'GONE', 'BUCKET_CORRUPT', 'TOO_LARGE', 'STATE_FORMAT')
    )
      throw error
    return undefined
  }
}
