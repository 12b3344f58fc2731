import { authorOf, systemCaller } from '../../access/index.ts'
import type { EventDraft } from '../journal/events.ts'
import type { UnitDocument } from '../documents/model.ts'
import { doubtReceipt } from '../receipts/receipts.ts'
import type { UnitChanges } from '../documents/transitions.ts'
import { findState, isWorthMissing, loseState, recordOutside } from '../documents/transitions.ts'
import type { Unit } from '../documents/unit-store.ts'
import type { Parts } from './context.ts'

const OUTSIDE = systemCaller('outside')

/**
 * RECORD: the state object is not what the head says, so it was written from outside. Its content becomes a version,
 * and we do not guess an author. Returns the new document, or undefined if it changed meanwhile.
 */
export async function recordState(parts: Parts, unit: Unit): Promise<Unit | undefined> {
  const doc = unit.value
  const entry = await parts.deps.bucket.head(doc.key)
  if ((entry?.tag ?? null) === (doc.head?.tag ?? null)) return unit
  if (entry === undefined || entry.size === 0) {
    if (doc.head === null || doc.head.tag === null) return unit
    const gone = stateGone(parts, doc)
    return parts.store.swap(unit, gone.changes, gone.events)
  }
  const outside = await storeOutside(parts, doc)
  if (outside === undefined) return undefined
  return parts.store.swap(unit, outside.changes, outside.events)
}

export interface OutsideRecord {
  readonly changes: UnitChanges
  readonly events: readonly EventDraft[]
}

/** Stores what is at the unit's key as an outside version. Undefined: there is nothing (any more). */
export async function storeOutside(parts: Parts, doc: UnitDocument): Promise<OutsideRecord | undefined> {
  const found = await parts.deps.bucket.get(doc.key)
  if (found === undefined) return undefined
  if (found.size === 0) {
    found.discard()
    return stateGone(parts, doc)
  }
  const state = await parts.intake.receiveOutside(found.stream(), doc.org)
  try {
    // The same bytes under another tag: a restored bucket, not a new version.
    if (doc.head !== null && doc.head.version.hash === state.hash && doc.tail?.superseded !== true) {
      return { changes: findState(doc, found.tag, parts.deps.clock.now()), events: [] }
    }
    const head = await parts.versions.put(doc, state, {
      at: parts.deps.clock.now(),
      ...authorOf(OUTSIDE),
      how: 'outside',
      receipt: doubtReceipt(doc.receipt),
    })
    const { id, seq, serial } = head.version
    return {
      changes: recordOutside(doc, { ...head, tag: found.tag }),
      events: [
        { type: 'state.written', caller: OUTSIDE, data: { version: id, seq, serial, how: 'outside' } },
      ],
    }
  } finally {
    await state.dispose()
  }
}

/** The state object was emptied or deleted from outside. */
export function stateGone({ deps }: Parts, doc: UnitDocument): OutsideRecord {
  if (doc.head === null || doc.head.tag === null) return { changes: {}, events: [] }
  const { id: version, seq, serial, resources } = doc.head.version
  const changes = loseState(doc, deps.clock.now())
  if (!isWorthMissing(doc))
    return { changes, events: [{ type: 'state.deleted', caller: OUTSIDE, data: { how: 'outside' } }] }
  deps.log.error('a state with resources is missing', { unit: doc.name, key: doc.key, version, resources })
  const data = { version, seq, serial, resources }
  return { changes, events: [{ type: 'state.missing', caller: OUTSIDE, data }] }
}
