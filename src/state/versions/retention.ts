import type { VersionKeyParts } from '../documents/layout.ts'
import type { KeptVersion, Retention } from '../documents/model.ts'

/** A version object as a listing shows it. */
export interface StoredVersion extends VersionKeyParts {
  readonly object: string
  readonly size: number
  readonly modifiedAt: number
}

export interface RetentionInput {
  readonly stored: readonly StoredVersion[]
  /** Newest committed number. */
  readonly newest: number
  readonly historyFrom: number
  readonly kept: readonly KeptVersion[]
  /** Objects that coming versions may be stored against. */
  readonly chain: readonly string[]
  readonly policy: Retention | undefined
  /** No more than so many versions stay, whatever the policy says. */
  readonly most?: number | undefined
  /** Ids that count, for numbers that have several objects. */
  readonly committed: ReadonlySet<string>
  readonly now: number
}

export interface RetentionPlan {
  readonly historyFrom: number
  readonly kept: readonly KeptVersion[]
  readonly remove: readonly StoredVersion[]
  /** Versions that leave the history. */
  readonly pruned: number
}

/** An attempt that lost its race is not touched until it is certain that no one is about to commit it. */
const ATTEMPT_MS = 24 * 3600_000

/**
 * What retention may delete. A version stays if it is among the newest `count`, or younger than `days`, or referred
 * to by one that stays; an object stays as long as anything that stays is stored against it, directly or not. Pure.
 */
export function planRetention(input: RetentionInput): RetentionPlan {
  const { most = Infinity, newest } = input
  const historyFrom = Math.max(firstKept(input), newest - most + 1)
  const kept = input.kept.filter(({ by }) => by >= historyFrom)
  const pinned = new Set(kept.map(({ id }) => id))
  const bySeq = new Map<number, StoredVersion[]>()
  for (const version of input.stored) {
    const same = bySeq.get(version.seq)
    if (same === undefined) bySeq.set(version.seq, [version])
    else same.push(version)
  }

  const isReferred = (version: StoredVersion) =>
    pinned.has(version.object) || input.chain.includes(version.object)
  const isAttempt = (version: StoredVersion) =>
    !input.committed.has(version.id) &&
    (version.seq > input.newest || (bySeq.get(version.seq)?.length ?? 0) > 1)
  const stays = (version: StoredVersion) =>
    isReferred(version) ||
    (isAttempt(version) ? input.now - version.modifiedAt < ATTEMPT_MS : version.seq >= historyFrom)

  const needed = new Set<StoredVersion>()
  const visit = (version: StoredVersion): void => {
    if (needed.has(version)) return
    needed.add(version)
    // Only the number of the base is in the name: every object of that number stays.
    for (const base of version.baseSeq === 0 ? [] : (bySeq.get(version.baseSeq) ?? [])) visit(base)
  }
  for (const version of input.stored) if (stays(version)) visit(version)
  return {
    historyFrom,
    kept,
    remove: input.stored.filter((version) => !needed.has(version)),
    pruned: inHistory(input.historyFrom, input.kept, historyFrom) - inHistory(historyFrom, kept, historyFrom),
  }
}

/** How many versions below `top` the history has: all from `from` on, and what is kept of those before. */
function inHistory(from: number, kept: readonly KeptVersion[], top: number): number {
  return top - from + new Set(kept.map(({ seq }) => seq).filter((seq) => seq < from)).size
}

function firstKept({ stored, newest, historyFrom, policy, now }: RetentionInput): number {
  if (policy === undefined || (policy.count === undefined && policy.days === undefined)) return historyFrom
  const byCount = policy.count === undefined ? Infinity : newest - policy.count + 1
  const young = stored.filter(
    (version) => policy.days !== undefined && now - version.modifiedAt < policy.days * 86_400_000,
  )
  const byAge = young.reduce((least, { seq }) => Math.min(least, seq), Infinity)
  // Whatever the policy says, the newest version stays.
  return Math.max(historyFrom, Math.min(byCount, byAge, newest))
}
