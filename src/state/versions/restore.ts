import { authorOf } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import type { Tag } from '../../bucket/index.ts'
import type { Expected } from '../expected.ts'
import type { HistoryEntry } from '../history/history-entry.ts'
import type { Receipt, UnitDocument, VersionFacts } from '../documents/model.ts'
import { ensureLock, ownLock } from '../locks/with-lock.ts'
import { refuseNested } from '../units/key-nesting.ts'
import { newLock, placeMirror, takenEvent } from '../protocol/lock.ts'
import type { Placed } from '../protocol/mirror.ts'
import type { Parts, Target } from '../protocol/context.ts'
import { loadUnit } from '../protocol/context.ts'
import { lockedByHolder } from '../protocol/refusals.ts'
import { keptWith, writtenEvent } from '../protocol/write.ts'
import type { EventDraft } from '../journal/events.ts'
import type { Caller, ReceivedState } from '../state-control.ts'
import type { UnitChanges } from '../documents/transitions.ts'
import { commitWrite, takeLock } from '../documents/transitions.ts'
import { writeAbove } from '../intake/write-above.ts'
import type { Intake } from '../intake/intake.ts'

/**
 * Restores a deleted unit's last state, byte for byte, unless another one was put at its place. It is committed in the
 * very step that restores the unit, under its own lock: after any crash, the unit is never found without its state. The
 * caller releases the lock, which carries the write out.
 */
export async function bringStateBack(
  parts: Parts,
  doc: UnitDocument,
  caller: Caller,
): Promise<{ readonly changes: UnitChanges; readonly events: readonly EventDraft[] }> {
  const { head } = doc
  if (head === null || head.tag !== null) return { changes: {}, events: [] }
  const present = await parts.deps.bucket.head(doc.key)
  if (present !== undefined && present.size > 0) return { changes: {}, events: [] }
  if (doc.lock !== null) throw lockedByHolder(doc, doc.lock)
  if (present === undefined) await refuseNested(parts.deps.bucket, doc.key)
  const stored = await parts.versions.read(doc, head)
  try {
    const state = await asReceived(parts, stored.body.stream(), doc.org)
    try {
      const now = parts.deps.clock.now()
      const lock = newLock(doc, ownLock(parts, 'restore', caller), caller, now)
      // Should the document turn out to be behind the mirror, the step that this is for fails and begins again.
      const placed = await placeMirror(parts, doc, lock)
      const source = sourceOf(head, doc.receipt)
      const about = {
        at: now,
        ...authorOf(caller),
        how: 'restore' as const,
        requestId: caller.requestId,
        source: source.id,
        receipt: source.receipt,
      }
      const back = await parts.versions.put(doc, state, about)
      const changes = {
        ...takeLock(doc, lock),
        ...commitWrite({ ...doc, lock }, back, tagAfter(present?.tag ?? null, placed), {
          receipt: source.receipt,
          pendingReads: doc.pendingReads,
        }),
        ...keptWith(doc, back, source),
      }
      return { changes, events: [takenEvent(lock, caller), writtenEvent(back, caller)] }
    } finally {
      await state.dispose()
    }
  } finally {
    await stored.dispose()
  }
}

/** Placing the mirror may have given the empty state another tag, or made one. */
function tagAfter(before: Tag | null, placed: Placed | undefined): Tag | null {
  return placed?.moved?.from === before ? placed.moved.to : before
}

function sourceOf(
  stored: { readonly object: string; readonly version: VersionFacts },
  receipt: Receipt | null,
) {
  return { id: stored.version.id, seq: stored.version.seq, object: stored.object, receipt }
}

function asReceived(parts: Parts, stream: AsyncIterable<Uint8Array>, org: string): Promise<ReceivedState> {
  return parts.intake.receiveOutside(stream, org)
}

/** If it is not a state, only its bytes are available. */
export function noState({ name }: UnitDocument, { facts }: HistoryEntry): TacoError {
  return new TacoError(
    'STATE_FORMAT',
    `Version ${facts.seq} of ${name} is not a state: something else was written around OpenTaco.`,
    {
      facts: { field: 'version', unit: name, version: facts.seq },
      hint: `Choose another version from \`taco state versions ${name}\`.`,
    },
  )
}

interface RollbackOptions {
  readonly lockId?: string | undefined
  readonly message?: string | undefined
  readonly expected?: Expected | undefined
  readonly keepSerial?: boolean | undefined
}

/**
 * Rollback: writes the content of an old version as a new one above every serial, so that later applies continue from
 * it.
 */
export async function rollBackTo(
  parts: Parts & { readonly intake: Intake },
  target: Target,
  entry: HistoryEntry,
  options: RollbackOptions,
  caller: Caller,
): Promise<VersionFacts> {
  const lock = await ensureLock(parts, target, { lockId: options.lockId, operation: 'rollback' }, caller)
  try {
    return await writeOldVersion(parts, target, entry, { ...options, lockId: lock.id }, caller)
  } finally {
    await lock.release()
  }
}

async function writeOldVersion(
  parts: Parts & { readonly intake: Intake },
  target: Target,
  entry: HistoryEntry,
  options: RollbackOptions & { readonly lockId: string },
  caller: Caller,
): Promise<VersionFacts> {
  const unit = await loadUnit(parts, target)
  if (entry.facts.unreadable === true) throw noState(unit.value, entry)
  const stored = await parts.versions.read(unit.value, { object: entry.object, version: entry.facts })
  try {
    const state = await asReceived(parts, stored.body.stream(), unit.value.org)
    try {
      const source = sourceOf({ object: entry.object, version: entry.facts }, entry.receipt)
      return await writeAbove(parts, target, { ...options, state, how: 'rollback', source }, caller)
    } finally {
      await state.dispose()
    }
  } finally {
    await stored.dispose()
  }
}
