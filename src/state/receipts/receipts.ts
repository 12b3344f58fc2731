import { doubtedBy, leftOf, mergedReads, readsOfEither } from './merge-reads.ts'
import type { How, PendingRead, Read, Receipt, UnitDocument } from '../documents/model.ts'

/**
 * Receipts: which reads a state was made from. Wrongly stale is a nuisance, wrongly fine is a lie, so where it is not
 * certain which of several reads counted, the oldest does, and what they disagree about is in doubt. Pure.
 *
 * | the write was made                                   | the reads it takes up                              |
 * |------------------------------------------------------|----------------------------------------------------|
 * | by an apply that read something itself               | those, and what programs fetched beside it         |
 * | … after a plan that saw other values                 | in doubt: it may be that plan, with a deferred read |
 * | by an apply of a run that told what it gave          | exactly those of the run                           |
 * | by an apply that read nothing (a saved plan)         | all since the last apply                           |
 * | … and for which no program fetched anything new      | and what was last fetched: its file may hold it    |
 * | … beside a run that has not told                     | what only that was given is in doubt until it does |
 * | by an operation that carries nothing out             | none: what the state was made from before          |
 * | … and yet changed outputs (refresh, import)          | what it read, too; what came from a file is in doubt |
 * | with a state from elsewhere (push, migration)        | all, and all of it is in doubt                     |
 * | without a lock, or under one that says nothing       | as an apply, in doubt where it differs from before |
 * | … and did not read again what an engine read before  | what stood stands: an apply would have read it     |
 * | … nor what a program fetched before, or a run gave   | in doubt: a file may be older than that            |
 */
export interface ReadsTaken {
  readonly receipt: Receipt | null
  readonly pendingReads: PendingRead[]
  readonly fetched?: Read[]
  /** Set if an engine carried the configuration out, so an earlier failure no longer means anything. */
  readonly failed?: undefined
}

export type Deed = 'carries out' | 'keeps' | 'replaces' | 'nobody knows'

/** What the engines call their locks, as seen of OpenTofu 1.6 and 1.12 and Terraform 1.11, and what we call ours. */
const DEEDS: Readonly<Record<string, Deed>> = {
  // `apply`, `destroy`; `apply -refresh-only` and `-target` call themselves the same.
  OperationTypeApply: 'carries out',
  apply: 'carries out',
  OperationTypeRefresh: 'keeps',
  // `import`; also `console`, which writes nothing.
  OperationTypeInvalid: 'keeps',
  'state-mv': 'keeps',
  'state-rm': 'keeps',
  'state-replace-provider': 'keeps',
  taint: 'keeps',
  untaint: 'keeps',
  'state-push': 'replaces',
  'migration destination state': 'replaces',
  push: 'replaces',
}

export function deedOf(operation: string): Deed {
  return (Object.hasOwn(DEEDS, operation) ? DEEDS[operation] : undefined) ?? 'nobody knows'
}

/** Whether an operation under such a lock may have written. */
export function mayWrite(operation: string): boolean {
  return operation !== 'OperationTypePlan'
}

export interface NewState {
  readonly how?: How
  /** Other outputs than before. */
  readonly changesOutputs?: boolean
}

/** For a write under the lock that the document holds. */
export function takeReads(
  doc: UnitDocument,
  { how = 'backend', changesOutputs = false }: NewState = {},
): ReadsTaken {
  const { lock, pendingReads, receipt, head } = doc
  if (lock === null) return { receipt, pendingReads }
  const hadState = head !== null && head.tag !== null
  switch (how === 'push' ? 'replaces' : deedOf(lock.info.Operation)) {
    case 'keeps':
      return { receipt: changesOutputs ? withReadsOf(doc, lock.id) : receipt, pendingReads }
    case 'replaces': {
      const reads = mergedReads([...(receipt?.reads ?? []), ...pendingReads])
      const either = reads.length === 0 ? receipt : { lock: lock.id, reads }
      return { receipt: hadState ? doubtReceipt(either) : either, pendingReads }
    }
    case 'carries out':
      return {
        receipt: { lock: lock.id, reads: mergedReads(readsOfApply(doc, lock.id, stillInFiles(doc))) },
        pendingReads: keptForRuns(pendingReads, lock.id),
        ...fetchedBy(doc),
        ...(doc.failed?.locks?.includes(lock.id) === true ? {} : { failed: undefined }),
      }
    default: {
      if (pendingReads.every((read) => read.taken !== undefined))
        return { receipt: receipt && { ...receipt, reads: readsOfEither(receipt.reads, []) }, pendingReads }
      // The first state of a unit was not made by moving something about in it.
      const taken = mergedReads(readsOfApply(doc, lock.id))
      const reads = hadState ? readsOfEither(receipt?.reads ?? null, taken) : taken
      return { receipt: { lock: lock.id, reads }, pendingReads: [], ...fetchedBy(doc) }
    }
  }
}

function readsOfApply(
  { pendingReads, receipt }: UnitDocument,
  lock: string,
  inFiles: readonly PendingRead[] = [],
): readonly Read[] {
  const pending = untaken(pendingReads)
  const earlier = receipt?.lock === lock ? receipt.reads : []
  const own = [...earlier, ...pending.filter((read) => isOwn(read, lock))]
  const told = pending.filter(({ run }) => run === lock)
  if (told.length > 0) return [...own, ...told]
  const units = new Set(own.map(({ from }) => from))
  const likely = doubtRuns([...pending, ...inFiles.filter(({ from }) => !units.has(from))])
  if (own.length === 0) return likely
  // Most applies read everything themselves. The apply of a saved plan reads only what could not be read before. We
  // cannot distinguish the two, so what a plan saw differently is in doubt. Any apply may use a file of variables.
  const planned = pending.filter(({ plan, lock: of }) => plan === true && of !== lock)
  const seen = mergedReads(own).map((read) =>
    doubtedBy(
      read,
      planned.filter(({ from }) => from === read.from),
    ),
  )
  return [...seen, ...likely.filter(({ engine, from }) => engine !== true || !units.has(from))]
}

function untaken(pendingReads: readonly PendingRead[]): readonly PendingRead[] {
  return pendingReads.filter(({ taken }) => taken === undefined)
}

function isOwn(read: PendingRead, lock: string): boolean {
  return read.lock === lock && read.engine === true
}

/** By a program that may have put it into a file of variables. */
function isFetched({ engine, run }: PendingRead): boolean {
  return engine !== true && run === undefined
}

/** Of units that are still declared, and that no engine has read since: code that moved on to reading has no file. */
function filesBefore({ pendingReads, dependencies, fetched = [] }: UnitDocument): readonly Read[] {
  const declared = new Set(dependencies.map(({ on }) => on))
  const pending = untaken(pendingReads)
  const byEngine = new Set(pending.filter(({ engine }) => engine === true).map(({ from }) => from))
  return fetched
    .filter(({ from }) => declared.has(from) && !byEngine.has(from))
    .flatMap((read) => {
      const later = pending.filter((other) => other.from === read.from && isFetched(other))
      return leftOf(read, later)
    })
}

function stillInFiles(doc: UnitDocument): readonly PendingRead[] {
  return filesBefore(doc).map((read) => ({ ...read, lock: null }))
}

function fetchedBy(doc: UnitDocument): Pick<ReadsTaken, 'fetched'> {
  const now = untaken(doc.pendingReads).filter(isFetched)
  if (now.length === 0 && doc.fetched === undefined) return {}
  return { fetched: mergedReads([...filesBefore(doc), ...now]) }
}

/** Outputs are made from what was read now, resources from what was read before; a file may be older than either. */
function withReadsOf({ pendingReads, receipt }: UnitDocument, lock: string): Receipt | null {
  const own = untaken(pendingReads).filter((read) => isOwn(read, lock))
  const reads = mergedReads([...(receipt?.reads ?? []), ...own])
  if (reads.length === 0) return receipt
  return { lock, reads: reads.map((read) => (read.engine === true ? read : { ...read, doubted: null })) }
}

/**
 * What only a run was given is certain once the run reports that the write was its own: it may not have got that far.
 */
function doubtRuns(pending: readonly PendingRead[]): readonly PendingRead[] {
  const others = new Set(pending.filter(({ run }) => run === undefined).map(({ from }) => from))
  return pending.map((read) =>
    read.run === undefined || others.has(read.from) ? read : { ...read, doubted: null },
  )
}

/**
 * A run whose engine takes its own lock reports only at its end that this was its write: what it read waits for that.
 */
function keptForRuns(pendingReads: readonly PendingRead[], lock: string): PendingRead[] {
  const pending = pendingReads.filter(({ taken }) => taken === undefined || taken === lock)
  if (!pending.some(({ run }) => run !== undefined && run !== lock)) return []
  return pending
    .filter(({ run, engine }) => run !== undefined || engine === true)
    .map((read) => ({ ...read, taken: lock }))
}

export interface EndedRun {
  /** Its token; the lock has the same id if it was the run that took it. */
  readonly run: string
  readonly since: number
  readonly now: number
}

/**
 * A run ended well, whether it had to write or not. Where it did not hold the lock itself, what it read counts only if
 * no more than one operation can have written since it began. Saved plans of others stay as they are: without a write
 * they can still be applied.
 */
export function takeReadsOfRun(
  doc: UnitDocument,
  { run, since, now }: EndedRun,
): ReadsTaken & { /** The state that stands is the one that the run left. */ readonly isCertain: boolean } {
  const { lock, pendingReads, receipt } = doc
  const rest = pendingReads.filter((read) => read.run !== run && read.taken === undefined)
  if (lock?.id === run) {
    const earlier = receipt?.lock === run ? receipt.reads : []
    const own = pendingReads.filter((read) => read.run === run || (read.engine === true && read.lock === run))
    const others = without(rest, own)
    const reads = mergedReads([...earlier, ...own])
    return { receipt: { lock: run, reads, at: now }, pendingReads: others, isCertain: true }
  }
  const own = pendingReads.filter((read) => read.run === run || (read.engine === true && read.at >= since))
  // A lock released before the engine started does not count as an operation. One held until the last read, or used for
  // a write, does.
  const told = pendingReads.filter((read) => read.run === run)
  const isUsed =
    told.length > 0 ? told.every((read) => read.lock === run) : mayHaveWritten(doc, { run, since })
  const isCertain = writersSince(doc, since, isUsed ? undefined : run) <= 1
  if (own.length === 0 || !isCertain) return { receipt, pendingReads: rest, isCertain }
  const others = without(rest, own)
  const reads = mergedReads(own)
  return { receipt: { lock: receipt?.lock ?? '', reads, at: now }, pendingReads: others, isCertain }
}

function without(reads: readonly PendingRead[], those: readonly PendingRead[]): PendingRead[] {
  const left = new Set(those)
  return reads.filter((read) => !left.has(read))
}

function writersSince({ lock, released }: UnitDocument, since: number, except?: string): number {
  const ended = released.filter(({ at }) => at >= since)
  // Whatever was before the first that is remembered may be forgotten.
  if (ended.length === released.length && released.length >= REMEMBERED) return Infinity
  const held = lock !== null && mayWrite(lock.info.Operation) ? 1 : 0
  return ended.filter(({ id, idle }) => idle !== true && id !== except).length + held
}

/** Under its own lock. If all remembered writes happened since it began, earlier ones may be forgotten. */
function mayHaveWritten(
  { lock, released, recent }: UnitDocument,
  { run, since }: Pick<EndedRun, 'run' | 'since'>,
): boolean {
  const later = new Set([lock?.id, ...released.filter(({ at }) => at >= since).map(({ id }) => id)])
  const isWhole = recent.length < REMEMBERED_WRITES || recent.some((write) => !later.has(write.lock))
  return !isWhole || recent.some((write) => write.lock === run)
}

/** How many released locks a document remembers, and how many writes. */
export const REMEMBERED = 16
export const REMEMBERED_WRITES = 8

/** The state was put there from elsewhere, so we do not know what it was made from. */
export function doubtReceipt(receipt: Receipt | null): Receipt | null {
  return receipt && { ...receipt, reads: receipt.reads.map((read) => ({ ...read, doubted: null })) }
}
