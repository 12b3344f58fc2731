import { type Author, authorOf, systemCaller } from '../../access/index.ts'
import { absenceBegins, absenceEnds, stateReturns } from '../history/absences.ts'
import type { Head, Intent, Lock, RecentWrite, UnitDocument } from './model.ts'
import {
  doubtReceipt,
  mayWrite,
  type ReadsTaken,
  REMEMBERED,
  REMEMBERED_WRITES,
} from '../receipts/receipts.ts'
import { serialsWith } from '../intake/serials.ts'

/**
 * Every change of a unit's document, as pure functions. Each keeps the invariant `write ≠ null ⇒ lock ≠ null`
 * and bounds what it appends to. The protocol decides when, these decide what.
 */

/** Answers to repeated requests need the last few only; the lists would otherwise grow for ever. */
const KEEP_RELEASED = REMEMBERED
const KEEP_RECENT = REMEMBERED_WRITES
const KEEP_FORMER_NAMES = 50

/** Undefined takes a field out. */
export type UnitChanges = { readonly [K in keyof UnitDocument]?: UnitDocument[K] | undefined }

export function applied(doc: UnitDocument, changes: UnitChanges): UnitDocument {
  return { ...doc, ...changes } as UnitDocument
}

/** The unit is renamed, deleted or restored: what its name leads to changes. */
export function movedUnit(
  doc: UnitDocument,
  to: Pick<UnitChanges, 'name' | 'key' | 'deleted'>,
  at: number,
): UnitChanges {
  const names = [...(doc.formerNames ?? []), doc.name].filter((name) => name !== (to.name ?? doc.name))
  const absences =
    to.deleted === undefined
      ? absenceEnds(doc, ['unit-deleted'], at)
      : { absences: absenceBegins(doc, 'unit-deleted', to.deleted) }
  return {
    ...to,
    ...absences,
    claiming: undefined,
    moves: (doc.moves ?? 0) + 1,
    formerNames: names.length === 0 ? undefined : [...new Set(names)].slice(-KEEP_FORMER_NAMES),
  }
}

export function takeLock(doc: UnitDocument, lock: Lock): UnitChanges {
  return { lock, epoch: lock.epoch, released: doc.released }
}

export function freeLock(doc: UnitDocument, at: number): UnitChanges {
  if (doc.lock === null) return {}
  if (doc.write !== null) throw new Error('a lock is freed only after its intent was resolved')
  const { id, info } = doc.lock
  const entry = mayWrite(info.Operation) ? { id, at } : { id, at, idle: true }
  return { lock: null, released: [...doc.released, entry].slice(-KEEP_RELEASED) }
}

export function wasReleased(doc: UnitDocument, lockId: string): boolean {
  return doc.released.some((entry) => entry.id === lockId)
}

/**
 * Could a lock have been released and forgotten since the document had this epoch? Every lock raises the epoch, so
 * the list holds all that were released since, as long as the epoch has not risen by more than its length.
 */
export function mayHaveForgotten(doc: UnitDocument, sinceEpoch: number): boolean {
  return doc.epoch - sinceEpoch > KEEP_RELEASED - 2
}

/** The commit: from here on the write will be carried out, by the next process if need be. */
export function commitWrite(
  doc: UnitDocument,
  head: Head,
  from: string | null,
  reads: ReadsTaken,
): UnitChanges {
  const lock = heldLock(doc)
  return {
    write: { kind: 'write', head, from, by: lock.id },
    seq: head.version.seq,
    ...serialsWith(doc, head.version),
    ...reads,
  }
}

export function commitDelete(doc: UnitDocument, from: string, deleted: Deleted): UnitChanges {
  return {
    write: {
      kind: 'delete',
      from,
      by: heldLock(doc).id,
      at: deleted.at,
      who: deleted.by,
      ...(deleted.who === undefined ? {} : { claim: deleted.who }),
    },
  }
}

interface Deleted extends Author {
  readonly at: number
}

/** The intent was carried out: the state object holds it under this tag (null: it is gone). */
export function completeWrite(doc: UnitDocument, tag: string | null): UnitChanges {
  const intent = pending(doc)
  if (intent.kind === 'delete') {
    // An intent of an earlier version says neither; the document was changed last when it was committed.
    const deleted = { at: intent.at ?? doc.changedAt, by: intent.who ?? 'unknown', who: intent.claim }
    const absences = absenceBegins(doc, 'state-deleted', deleted)
    return { write: null, head: withoutState(doc.head), missing: undefined, absences }
  }
  return {
    write: null,
    head: { ...intent.head, tag },
    ...stateReturns(doc, intent.head.version.at),
    missing: undefined,
    tail: { id: intent.head.version.id, superseded: false },
    recent: remember(doc, intent, true),
  }
}

/** Somebody outside overtook the intent: it stays in the history, marked as perhaps never having been current. */
export function supersedeWrite(doc: UnitDocument): UnitChanges {
  const intent = pending(doc)
  if (intent.kind === 'delete') return { write: null }
  return {
    write: null,
    tail: { id: intent.head.version.id, superseded: true },
    recent: remember(doc, intent, false),
    // Later differences build on the chain of what is current; an overtaken version is never a base.
  }
}

/** Gives an intent up whose version is lost, as if it had never been committed: it can be neither done nor shown. */
export function abandonWrite(doc: UnitDocument): UnitChanges {
  return pending(doc).kind === 'write' ? { write: null, seq: doc.seq - 1 } : { write: null }
}

/** What was found in the bucket becomes the head: its author and its inputs are unknown. */
export function recordOutside(doc: UnitDocument, head: Head): UnitChanges {
  return {
    head,
    missing: undefined,
    ...stateReturns(doc, head.version.at),
    seq: head.version.seq,
    ...serialsWith(doc, head.version),
    tail: { id: head.version.id, superseded: false },
    receipt: doubtReceipt(doc.receipt),
  }
}

/** The same state was found under another tag. */
function retagHead(doc: UnitDocument, tag: string): UnitChanges {
  return { head: doc.head === null ? null : { ...doc.head, tag }, missing: undefined }
}

/** The very state that was gone is back. */
export function findState(doc: UnitDocument, tag: string, at: number): UnitChanges {
  return { ...retagHead(doc, tag), ...stateReturns(doc, at) }
}

/** The state object was found missing. Whether that is an alarm depends on what was in it. */
export function loseState(doc: UnitDocument, at: number): UnitChanges {
  const isMissing = isWorthMissing(doc)
  return {
    head: withoutState(doc.head),
    absences: absenceBegins(doc, isMissing ? 'state-missing' : 'state-deleted', {
      at,
      ...authorOf(systemCaller('outside')),
    }),
    ...(isMissing ? { missing: { at } } : {}),
  }
}

/** A state without resources is nothing that anybody could create a second time. */
export function isWorthMissing({ head }: Pick<UnitDocument, 'head'>): boolean {
  return head !== null && head.tag !== null && head.version.resources !== 0
}

/** A person decided that there is no state any more. */
export function acceptMissing(doc: UnitDocument, deleted: Deleted): UnitChanges {
  const ended = { ...doc, ...absenceEnds(doc, ['state-missing'], deleted.at) }
  return { missing: undefined, absences: absenceBegins(ended, 'state-deleted', deleted) }
}

/** The state got another tag and kept its content: so does the head, if it was that state. */
export function followState(
  doc: UnitDocument,
  moved: { readonly from: string | null; readonly to: string } | undefined,
): UnitChanges {
  if (moved === undefined || moved.from === null || doc.head?.tag !== moved.from) return {}
  return retagHead(doc, moved.to)
}

export function recentWrite(doc: UnitDocument, versionId: string): RecentWrite | undefined {
  return doc.recent.find((write) => write.id === versionId)
}

/** The same bytes under the same lock landed before: a repeated request. */
export function landedBefore(doc: UnitDocument, hash: string, lockId: string): RecentWrite | undefined {
  return doc.recent.findLast((write) => write.landed && write.hash === hash && write.lock === lockId)
}

function remember(doc: UnitDocument, intent: Intent & { kind: 'write' }, landed: boolean): RecentWrite[] {
  const { id, hash } = intent.head.version
  return [...doc.recent, { id, hash, lock: intent.by, landed }].slice(-KEEP_RECENT)
}

function withoutState(head: Head | null): Head | null {
  return head === null ? null : { ...head, tag: null }
}

function heldLock(doc: UnitDocument): Lock {
  if (doc.lock === null) throw new Error('an intent needs a held lock')
  return doc.lock
}

function pending(doc: UnitDocument): Intent {
  if (doc.write === null) throw new Error('there is no intent to end')
  return doc.write
}
