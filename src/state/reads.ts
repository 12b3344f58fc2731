import type { PendingRead, Read, Receipt, UnitDocument } from './model.ts'

/**
 * Receipts: which reads a write was made from. Wrongly stale is a nuisance, wrongly fine is a lie, so whenever it is
 * not certain which of several reads counted, the oldest does. Pure.
 */

/** What the tools call a lock that is held while configuration is carried out. */
const APPLIES = new Set(['OperationTypeApply', 'OperationTypeRefresh', 'apply'])

export function receiptForWrite(doc: UnitDocument): {
  readonly receipt: Receipt | null
  readonly pendingReads: PendingRead[]
} {
  const { lock, pendingReads, receipt } = doc
  if (lock === null) return { receipt, pendingReads }
  const own = pendingReads.filter((read) => read.lock === lock.id)
  const earlier = receipt?.lock === lock.id ? receipt.reads : []
  if (own.length > 0 || earlier.length > 0) {
    // An operation that reads (a plain apply): its own reads count, those of its earlier writes included.
    return { receipt: { lock: lock.id, reads: oldestOf([...earlier, ...own]) }, pendingReads: [] }
  }
  if (pendingReads.length > 0) {
    // A saved plan being applied: it was made from what somebody read since the last write, nobody knows which.
    return { receipt: { lock: lock.id, reads: oldestOf(pendingReads) }, pendingReads: [] }
  }
  // `state mv`, a push, a rollback: nothing was carried out anew, so what the state was made from stands.
  if (!APPLIES.has(lock.info.Operation)) return { receipt, pendingReads: [] }
  return { receipt: { lock: lock.id, reads: [] }, pendingReads: [] }
}

/** For an apply that ended without writing and held a lock that is not ours to see: what nobody took up since then. */
export function readsSince(
  doc: UnitDocument,
  since: number,
): { readonly receipt: Receipt | null; readonly pendingReads: PendingRead[] } {
  const { pendingReads, receipt } = doc
  const own = pendingReads.filter((read) => read.at >= since)
  if (own.length === 0) return { receipt, pendingReads }
  return { receipt: { lock: '', reads: oldestOf(own) }, pendingReads: [] }
}

/** One read per unit: of each output the oldest commit read. */
export function oldestOf(reads: readonly Read[]): Read[] {
  const byUnit = new Map<string, Read>()
  for (const read of reads) {
    const known = byUnit.get(read.from)
    byUnit.set(read.from, known === undefined ? withoutLock(read) : mergeReads(known, read))
  }
  return [...byUnit.values()]
}

function mergeReads(a: Read, b: Read): Read {
  const [older, newer] = a.commit <= b.commit ? [a, b] : [b, a]
  const digests =
    older.digests === null || newer.digests === null ? null : { ...newer.digests, ...older.digests }
  return {
    from: older.from,
    names:
      older.names === null || newer.names === null ? null : [...new Set([...older.names, ...newer.names])],
    commit: older.commit,
    // Outputs that only the newer read covered keep what that one saw.
    digests: older.names === null && older.digests !== null ? older.digests : digests,
    at: Math.min(a.at, b.at),
  }
}

function withoutLock({ from, names, commit, digests, at }: Read): Read {
  return { from, names, commit, digests, at }
}
