import type { PresenceAt } from './absences.ts'
import { presenceAt } from './absences.ts'
import type { PastVersion } from './history-cache.ts'
import type { Place } from './history.ts'
import { newest } from './history.ts'
import type { Absence, UnitDocument } from '../documents/model.ts'

/**
 * What a unit's document says about its past, beyond what listings show. It is part of every catalog entry, so it is
 * kept short.
 */
export interface PastFacts {
  readonly createdAt: number
  readonly changedAt: number
  readonly deleted?: { readonly at: number; readonly by: string }
  readonly missing?: { readonly at: number }
  readonly absences?: Absence[]
  readonly head: { readonly tag: string | null; readonly version: { readonly at: number } } | null
  readonly newest: Place | null
  readonly historyFrom: number
  /** Versions before `historyFrom` are left. */
  readonly hasKept: boolean
  /** Since when the receipt applies, if it came after the version. */
  readonly receiptAt?: number
}

export function pastOf(doc: UnitDocument): PastFacts {
  const { createdAt, changedAt, deleted, missing, absences, head, historyFrom, kept, receipt } = doc
  return {
    createdAt,
    changedAt,
    ...(deleted === undefined ? {} : { deleted: { at: deleted.at, by: deleted.by } }),
    ...(missing === undefined ? {} : { missing: { at: missing.at } }),
    ...(absences === undefined ? {} : { absences }),
    head: head === null ? null : { tag: head.tag, version: { at: head.version.at } },
    newest: newest(doc) ?? null,
    historyFrom,
    hasKept: kept.length > 0,
    ...(receipt?.at === undefined ? {} : { receiptAt: receipt.at }),
  }
}

export function pastPresence(past: PastFacts, time: number): PresenceAt {
  return presenceAt({ ...past, deleted: past.deleted, missing: past.missing, absences: past.absences }, time)
}

/** Down the history as far as it is known. `unknown`: a version is not; its object has to be read. */
function* knownVersions(
  unit: string,
  past: PastFacts,
  find: (id: string) => PastVersion | undefined,
): Generator<PastVersion & { readonly superseded: boolean }, 'whole' | 'pruned' | 'unknown'> {
  let place = past.newest
  while (place !== null) {
    if (place.seq < past.historyFrom) return past.hasKept ? 'unknown' : 'pruned'
    const version = find(place.id)
    if (version === undefined || version.seq !== place.seq || version.unit !== unit) return 'unknown'
    yield { ...version, superseded: place.superseded }
    if (version.prev === null) return version.seq === 1 ? 'whole' : 'pruned'
    place = { seq: version.seq - 1, id: version.prev, superseded: version.supersedes === true }
  }
  return 'whole'
}

/** The version that was current then, if the history is known that far. */
export function knownVersionAt(
  unit: string,
  past: PastFacts,
  time: number,
  find: (id: string) => PastVersion | undefined,
): PastVersion | 'none' | 'forgotten' | 'unknown' {
  const versions = knownVersions(unit, past, find)
  for (;;) {
    const next = versions.next()
    if (next.done === true)
      return next.value === 'whole' ? 'none' : next.value === 'pruned' ? 'forgotten' : 'unknown'
    if (next.value.at <= time && !next.value.superseded) return next.value
  }
}

/** The version that made an outputs commit, if the history is known that far: the oldest that has it. */
export function knownCommit(
  unit: string,
  past: PastFacts,
  commit: number,
  find: (id: string) => PastVersion | undefined,
): PastVersion | undefined {
  let made: PastVersion | undefined
  const versions = knownVersions(unit, past, find)
  for (let next = versions.next(); ; next = versions.next()) {
    if (next.done === true) return next.value === 'unknown' ? undefined : made
    if (next.value.superseded) continue
    if (next.value.commit < commit) return made
    if (next.value.commit === commit) made = next.value
  }
}
