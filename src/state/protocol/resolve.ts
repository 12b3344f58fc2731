import { systemCaller } from '../../access/index.ts'
import { createHash } from 'node:crypto'
import { isTacoError, TacoError } from '../../base/errors.ts'
import type { Found, PutOptions } from '../../bucket/index.ts'
import type { EventDraft } from '../journal/events.ts'
import type { Intent } from '../documents/model.ts'
import type { UnitChanges } from '../documents/transitions.ts'
import { applied, completeWrite, supersedeWrite } from '../documents/transitions.ts'
import type { Unit } from '../documents/unit-store.ts'
import { again, untilDone } from '../../base/attempts.ts'
import { stateGone, storeOutside } from './record-outside-write.ts'
import type { Parts } from './context.ts'
import { lockLostOutside } from './refusals.ts'
import { idOf, loadUnit } from './context.ts'

/**
 * RESOLVE: carries an unfinished intent forward, so that the lock can change hands. Never back: the writer may have
 * been answered. Returns the document without an intent, or undefined if the lock changed hands meanwhile.
 */
export async function resolveIntent(parts: Parts, first: Unit): Promise<Unit | undefined> {
  let unit = first
  return untilDone(parts.deps.clock, 'finishing an earlier write', async () => {
    const intent = unit.value.write
    if (intent === null) return unit
    // The state is read after the document: the other way round, a write finished in between would look like an
    // outside one.
    const done =
      intent.kind === 'delete'
        ? await finishDelete(parts, unit, intent)
        : await finishWrite(parts, unit, intent)
    if (done !== again) return done
    unit = await loadUnit(parts, idOf(unit))
    return unit.value.lock?.id === first.value.lock?.id ? again : undefined
  })
}

type Step = Unit | typeof again

async function finishWrite(parts: Parts, unit: Unit, intent: Intent & { kind: 'write' }): Promise<Step> {
  const { bucket } = parts.deps
  const found = await bucket.get(unit.value.key)
  if (found?.tag === intent.from || (found === undefined && intent.from === null)) {
    found?.discard()
    return (await rollForward(parts, unit, intent)) ?? again
  }
  if (found === undefined) {
    // The state that the intent was to replace was deleted from outside.
    const gone = stateGone(parts, unit.value)
    return swapped(parts, unit, { ...supersedeWrite(unit.value), ...gone.changes }, [
      supersededEvent(intent),
      ...gone.events,
    ])
  }
  if (found.size === intent.head.version.size && (await hashOf(found)) === intent.head.version.hash) {
    return swapped(parts, unit, completeWrite(unit.value, found.tag))
  }
  if (found.size !== intent.head.version.size) found.discard()
  const outside = await storeOutside(parts, applied(unit.value, supersedeWrite(unit.value)))
  if (outside === undefined) return again
  return swapped(parts, unit, { ...supersedeWrite(unit.value), ...outside.changes }, [
    supersededEvent(intent),
    ...outside.events,
  ])
}

/** Undefined: another process was first, look again. */
async function rollForward(
  parts: Parts,
  unit: Unit,
  intent: Intent & { kind: 'write' },
): Promise<Unit | undefined> {
  const { bucket } = parts.deps
  const stored = await parts.versions.read(unit.value, intent.head).catch((error: unknown) => {
    throw isTacoError(error, 'BUCKET_CORRUPT') ? writeLost(unit, error) : error
  })
  try {
    const when = intent.from === null ? 'absent' : (intent.from as Found['tag'])
    const answer = await bucket.put(unit.value.key, stored.body, when, statePut(parts, unit))
    if (answer.kind === 'conflict') return await regainGuard(parts, unit)
    return await parts.store.swap(unit, completeWrite(unit.value, answer.tag))
  } finally {
    await stored.dispose()
  }
}

/** Only a person can decide to give a committed write up. */
function writeLost(unit: Unit, cause: TacoError): TacoError {
  return new TacoError('BUCKET_CORRUPT', cause.message, {
    facts: { ...cause.facts, unit: unit.value.name },
    hint: 'A committed write has unreadable content. Restore the object from a backup of the bucket, or give the write up with `taco doctor --repair`.',
    cause,
  })
}

async function finishDelete(parts: Parts, unit: Unit, intent: Intent & { kind: 'delete' }): Promise<Step> {
  const { bucket } = parts.deps
  const entry = await bucket.head(unit.value.key)
  if (entry?.tag === intent.from) {
    await removeStateObject(parts, unit, entry.tag)
    return again
  }
  if (entry === undefined || entry.size === 0) return swapped(parts, unit, completeWrite(unit.value, null))
  const outside = await storeOutside(parts, applied(unit.value, supersedeWrite(unit.value)))
  if (outside === undefined) return again
  return swapped(parts, unit, { ...supersedeWrite(unit.value), ...outside.changes }, outside.events)
}

/**
 * Where a delete cannot be conditional, a late one could remove the next holder's state: there the state is emptied
 * by a conditional put instead. Both CLIs read an empty object as "no state".
 */
export async function removeStateObject(parts: Parts, unit: Unit, tag: Found['tag']): Promise<void> {
  const { bucket } = parts.deps
  const { key } = unit.value
  // Where the lock is on the state object itself, it would go with it.
  if (bucket.can.conditionalDelete && parts.mirrors.guard(unit.value) === undefined) {
    await bucket.delete(key, tag)
    return
  }
  const answer = await bucket.put(key, emptyBody, tag, statePut(parts, unit))
  if (answer.kind === 'conflict') await regainGuard(parts, unit)
}

/** How every state is put: past the guard of the lock, where the lock is on the state object itself. */
export function statePut(parts: Parts, { value }: Unit): PutOptions {
  const lease = parts.mirrors.guard(value)
  return { contentType: 'application/json', ...(lease === undefined ? {} : { lease }) }
}

/** A put was refused: perhaps because the guard that it carried is gone, which only a program outside can have done. */
async function regainGuard(parts: Parts, { value }: Unit): Promise<undefined> {
  if (value.lock === null || parts.mirrors.guard(value) === undefined) return
  if ((await parts.mirrors.confirm(value, value.lock)) === 'foreign') throw lockLostOutside(value)
}

const emptyBody = {
  size: 0,
  bytes: new Uint8Array(0),
  // eslint-disable-next-line require-yield -- a body without bytes
  async *stream(): AsyncGenerator<Uint8Array> {},
}

async function swapped(
  parts: Parts,
  unit: Unit,
  changes: UnitChanges,
  events: readonly EventDraft[] = [],
): Promise<Step> {
  return (await parts.store.swap(unit, changes, events)) ?? again
}

function supersededEvent(intent: Intent & { kind: 'write' }): EventDraft {
  const { id, serial } = intent.head.version
  return { type: 'state.superseded', caller: systemCaller('outside'), data: { version: id, serial } }
}

export async function hashOf(found: Found): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of found.stream()) hash.update(chunk)
  return hash.digest('hex')
}
