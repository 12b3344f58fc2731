import { authorOf, withClaim } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import type { Body, Tag } from '../../bucket/index.ts'
import { answeredBefore, noteRequest } from '../../bucket/index.ts'
import { type Expected, changedMeanwhile, isExpected } from '../expected.ts'
import type { Head, How, Receipt, UnitDocument, VersionFacts } from '../documents/model.ts'
import { nextCommit } from '../outputs/output-commits.ts'
import { takeReads, type ReadsTaken } from '../receipts/receipts.ts'
import type { Caller, ReceivedState } from '../state-control.ts'
import type { EventDraft } from '../journal/events.ts'
import { refuseNested } from '../units/key-nesting.ts'
import type { UnitChanges } from '../documents/transitions.ts'
import { commitWrite, landedBefore, recentWrite } from '../documents/transitions.ts'
import type { Unit } from '../documents/unit-store.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { StateFacts } from '../content/scan.ts'
import { decideWrite } from './decide.ts'
import type { Target, Parts } from './context.ts'
import { idOf, loadUnit } from './context.ts'
import { recordState } from './record-outside-write.ts'
import { lockedByHolder, lockLostOutside, lockNotHeld, unitGone } from './refusals.ts'
import { resolveIntent, statePut } from './resolve.ts'

export interface StateWrite {
  readonly state: ReceivedState
  readonly lockId: string
  readonly force: boolean
  /** With force: even if the serial is not above every one of the history. */
  readonly keepSerial?: boolean | undefined
  readonly how: How
  readonly message?: string | undefined
  readonly versionStart?: string | undefined
  /** Tags of the state that it is meant to replace. */
  readonly expected?: Expected | undefined
  /** The version whose content this is. */
  readonly source?:
    | { readonly id: string; readonly seq: number; readonly object: string; readonly receipt: Receipt | null }
    | undefined
}

/**
 * POST of the protocol: steps P1 to P5; P6 is folded into the next change of the document. Answers with the version
 * once the state object holds it, and not before.
 */
export async function writeState(
  parts: Parts,
  target: Target,
  write: StateWrite,
  caller: Caller,
): Promise<VersionFacts> {
  // P1 from memory where the lock was taken here: P4 fails if the document went on. Refusals need a fresh one.
  const cached = parts.store.cached(target.org, target.id)
  let fresh = cached === undefined || cached.value.lock?.id !== write.lockId
  let unit = fresh || cached === undefined ? await loadUnit(parts, target) : parts.store.folded(cached)
  let mayTrust = true

  return untilDone(parts.deps.clock, 'writing the state', async () => {
    const reload = async (): Promise<typeof again> => {
      unit = await loadUnit(parts, target)
      fresh = true
      return again
    }
    const repeated = await repeatedWrite(parts, unit.value, caller)
    if (repeated instanceof TacoError) throw repeated
    if (repeated !== undefined) return repeated
    const refusal = await checkWrite(parts, unit.value, write)
    if (refusal instanceof TacoError) {
      if (!fresh) return reload()
      throw refusal
    }
    if (refusal !== undefined) return refusal
    if (unit.value.write !== null) {
      await resolveIntent(parts, unit)
      return reload()
    }
    const trusted = mayTrust ? tagUnderLock(unit.value, write.lockId) : undefined
    const outcome = await attemptWrite(parts, unit, write, caller, trusted)
    if (outcome === again) return reload()
    if (!(outcome instanceof TacoError)) return outcome
    if (outcome.code === 'CONFLICT' && trusted !== undefined) {
      // A writer that ignores locks was there before us. Its write is recorded by now, and judged as if we had seen it.
      mayTrust = false
      return reload()
    }
    // Overtaken after the commit is final; any other refusal needs a fresh document.
    if (fresh || outcome.code === 'CONFLICT') throw outcome
    return reload()
  })
}

/**
 * How the write of this very request ended before, if it was committed. An intent that is still open is resolved
 * first.
 */
export async function repeatedWrite(
  parts: Parts,
  doc: UnitDocument,
  caller: Caller,
): Promise<VersionFacts | TacoError | undefined> {
  const made = answeredBefore(doc.answered, caller)?.made
  if (made === undefined || doc.write !== null) return undefined
  if (doc.head?.version.id === made) return doc.head.version
  const found = await parts.versions.find(doc, made)
  return found?.superseded === true ? overtaken(doc.name, made) : found?.facts
}

/** P1: an error, or the version that this very request already wrote, or nothing to object. */
async function checkWrite(
  parts: Parts,
  doc: UnitDocument,
  write: StateWrite,
): Promise<TacoError | VersionFacts | undefined> {
  if (doc.deleted !== undefined) return unitGone(doc)
  if (doc.lock?.id === write.lockId && doc.lock.releasing === undefined) return undefined
  const landed = landedBefore(doc, write.state.hash, write.lockId)
  if (landed !== undefined && doc.head?.version.id === landed.id) return doc.head.version
  if (landed !== undefined) {
    const found = await parts.versions.find(doc, landed.id)
    if (found !== undefined) return found.facts
  }
  return doc.lock === null || doc.lock.releasing !== undefined
    ? lockNotHeld(doc, write.lockId)
    : lockedByHolder(doc, doc.lock)
}

async function attemptWrite(
  parts: Parts,
  unit: Unit,
  write: StateWrite,
  writing: Caller,
  trusted: Tag | undefined,
): Promise<VersionFacts | TacoError | typeof again> {
  const doc = unit.value
  const caller = withClaim(writing, doc.lock?.info.Who)
  const { facts } = write.state
  if (facts === undefined)
    return new TacoError('STATE_NOT_JSON', 'The content is not a state.', { facts: { field: 'body' } })
  const decision = decide(doc, facts, write)
  if (decision instanceof TacoError)
    return (await currentTag(parts, doc)) === 'other' ? recordFirst(parts, unit) : decision

  // P2 beside P3: an immutable version that is not committed is garbage at worst.
  const [from, mirror, head] = await Promise.all([
    trusted === undefined || decision === 'same' ? currentTag(parts, doc) : { tag: trusted },
    doc.lock === null ? 'in place' : parts.mirrors.confirm(doc, doc.lock),
    decision === 'same' ? undefined : storeVersion(parts, doc, write, caller),
  ])
  if (mirror === 'foreign') return lockLostOutside(doc)
  if (mirror === 'moved') return again
  if (from === 'other') return recordFirst(parts, unit)
  if (head === undefined) return doc.head === null ? again : doc.head.version

  // P4
  const committed = await parts.store.swap(
    unit,
    {
      ...commitWrite(doc, head, from.tag, readsOf(doc, write)),
      ...keptWith(doc, head, write.source),
      ...noteRequest(doc.answered, caller, parts.deps.clock.now(), head.version.id),
    },
    [writtenEvent(head, caller)],
  )
  if (committed === undefined) return again
  return carryOut(parts, committed, head, { body: write.state.body, from: from.tag })
}

/** What is expected is judged like serial and lineage: P5 then puts on condition of the very tag that was judged. */
function decide(doc: UnitDocument, facts: StateFacts, write: StateWrite): ReturnType<typeof decideWrite> {
  const { force, keepSerial = false, state } = write
  const decision = decideWrite(doc, { facts, hash: state.hash, force, keepSerial })
  // The same bytes again are a retry whose first answer was lost.
  if (decision === 'same' || isExpected(write.expected, doc.head?.tag ?? null)) return decision
  return changedMeanwhile(`The state of ${doc.name}`)
}

/**
 * The tag that the last write under this very lock left. No writer that respects locks has changed the state since, so
 * P2 need not look at it. Against all others, P5 puts on condition of this tag.
 */
function tagUnderLock(doc: UnitDocument, lockId: string): Tag | undefined {
  const last = doc.recent.at(-1)
  if (last === undefined || !last.landed || last.lock !== lockId) return undefined
  return doc.head?.version.id === last.id ? ((doc.head.tag ?? undefined) as Tag | undefined) : undefined
}

/** The tag of the state object that the write replaces (null: there is none), or `other` if the head is not current. */
async function currentTag(parts: Parts, doc: UnitDocument): Promise<{ readonly tag: Tag | null } | 'other'> {
  const entry = await parts.deps.bucket.head(doc.key)
  const expected = doc.head?.tag ?? null
  // An object without a byte is no state: what an emptied state leaves where deletes cannot be conditional.
  if (expected === null && entry?.size === 0) return { tag: entry.tag }
  if (expected === null && entry === undefined) await refuseNested(parts.deps.bucket, doc.key)
  return (entry?.tag ?? null) === expected ? { tag: entry?.tag ?? null } : 'other'
}

async function recordFirst(parts: Parts, unit: Unit): Promise<typeof again> {
  await recordState(parts, unit)
  return again
}

function storeVersion(parts: Parts, doc: UnitDocument, write: StateWrite, caller: Caller): Promise<Head> {
  return parts.versions.put(doc, write.state, {
    at: parts.deps.clock.now(),
    ...authorOf(caller),
    how: write.how,
    message: write.message,
    versionStart: write.versionStart,
    requestId: caller.requestId,
    source: write.source?.id,
    receipt: readsOf(doc, write).receipt,
  })
}

/** P5 */
async function carryOut(
  parts: Parts,
  committed: Unit,
  head: Head,
  state: { readonly body: Body; readonly from: Tag | null },
): Promise<VersionFacts | TacoError> {
  const { store, deps } = parts
  const { name, key } = committed.value
  const answer = await deps.bucket.put(key, state.body, state.from ?? 'absent', statePut(parts, committed))
  if (answer.kind === 'written') {
    store.noteLanded(head.version.id, answer.tag)
    return head.version
  }
  // A conflict proves nothing: our own first try may have landed, or another process carried the intent forward for us.
  if ((await endOf(parts, committed, head.version.id)) === 'landed') return head.version
  deps.log.warn('a committed write was overtaken from outside', { unit: name, version: head.version.id })
  return overtaken(name, head.version.id)
}

function overtaken(name: string, version: string): TacoError {
  return new TacoError('CONFLICT', `The state of ${name} was written around OpenTaco at the same time.`, {
    facts: { unit: name, version },
    hint: 'The history keeps your state as superseded. Check `taco state versions`, then repeat the work.',
  })
}

async function endOf(parts: Parts, unit: Unit, versionId: string): Promise<'landed' | 'superseded'> {
  return untilDone(parts.deps.clock, 'finishing the write', async () => {
    const now = await loadUnit(parts, idOf(unit))
    const { write } = now.value
    if (write?.kind === 'write' && write.head.version.id === versionId) {
      await resolveIntent(parts, now)
      return again
    }
    const recent = recentWrite(now.value, versionId)
    // After many more writes only the history remembers.
    const isSuperseded =
      recent === undefined ? (await parts.versions.find(now.value, versionId))?.superseded : !recent.landed
    return isSuperseded === false ? 'landed' : 'superseded'
  })
}

/** A rollback or a restore brings the receipt of its source along. */
function readsOf(doc: UnitDocument, write: StateWrite): ReadsTaken {
  const { source, how, state } = write
  if (source !== undefined) return { receipt: source.receipt, pendingReads: doc.pendingReads }
  const { commit } = nextCommit(doc.head, state.facts?.outputs ?? null)
  return takeReads(doc, { how, changesOutputs: commit !== (doc.head?.commit ?? 0) })
}

/** Retention keeps what this version refers to as long as this version itself. */
export function keptWith(doc: UnitDocument, head: Head, source: StateWrite['source']): UnitChanges {
  if (source === undefined) return {}
  return { kept: [...doc.kept, { seq: source.seq, id: source.object, by: head.version.seq }] }
}

export function writtenEvent(head: Head, caller: Caller): EventDraft {
  const { id, seq, serial, how, size, source } = head.version
  return {
    type: 'state.written',
    caller,
    data: {
      version: id,
      seq,
      serial,
      how,
      size,
      commit: head.commit,
      ...(source === undefined ? {} : { source }),
    },
  }
}
