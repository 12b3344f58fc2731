import { authorOf } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import type { Tag } from '../../bucket/index.ts'
import { answeredBefore, noteRequest } from '../../bucket/index.ts'
import { type Expected, changedMeanwhile, isExpected } from '../expected.ts'
import type { UnitDocument } from '../documents/model.ts'
import type { Caller } from '../state-control.ts'
import { acceptMissing, commitDelete } from '../documents/transitions.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Target, Parts } from './context.ts'
import { loadUnit } from './context.ts'
import { recordState } from './record-outside-write.ts'
import { lockLostOutside, lockNotHeld } from './refusals.ts'
import { removeStateObject, resolveIntent } from './resolve.ts'

/**
 * Deletes the state object, under a lock that the caller holds. The same shape as a write: record what is there,
 * commit the intent, carry it out on condition that nothing changed, complete. The history keeps every version.
 */
export async function removeState(
  parts: Parts,
  target: Target,
  options: { readonly lockId: string; readonly force: boolean; readonly expected?: Expected | undefined },
  caller: Caller,
): Promise<void> {
  await untilDone(parts.deps.clock, 'deleting the state', async () => {
    const unit = await loadUnit(parts, target)
    const doc = unit.value
    if (doc.write === null && answeredBefore(doc.answered, caller) !== undefined) return undefined
    const noted = noteRequest(doc.answered, caller, parts.deps.clock.now())
    if (doc.lock?.id !== options.lockId || doc.lock.releasing !== undefined)
      throw lockNotHeld(doc, options.lockId)
    if (doc.write !== null) {
      await resolveIntent(parts, unit)
      return again
    }
    const recorded = await recordState(parts, unit)
    if (recorded !== unit) return again
    if (!isExpected(options.expected, doc.head?.tag ?? null))
      throw changedMeanwhile(`The state of ${doc.name}`)
    refuseWithResources(doc, options.force)
    const deletion = { at: parts.deps.clock.now(), ...authorOf(caller) }
    if (doc.missing !== undefined) {
      const accepted = {
        type: 'state.deleted' as const,
        caller,
        data: { ...deletedVersion(doc), how: 'accepted' },
      }
      const changes = { ...acceptMissing(doc, deletion), ...noted }
      const done = await parts.store.swap(unit, changes, [accepted])
      return done === undefined ? again : undefined
    }
    if (doc.head === null || doc.head.tag === null) return undefined
    const mirror = await parts.mirrors.confirm(doc, doc.lock)
    if (mirror === 'foreign') throw lockLostOutside(doc)
    if (mirror === 'moved') return again

    const from = doc.head.tag as Tag
    const deleted = {
      type: 'state.deleted' as const,
      caller,
      data: { ...deletedVersion(doc), how: 'api' },
    }
    const changes = { ...commitDelete(doc, from, deletion), ...noted }
    const committed = await parts.store.swap(unit, changes, [deleted])
    if (committed === undefined) return again
    await removeStateObject(parts, committed, from)
    return (await resolveIntent(parts, committed)) === undefined ? again : undefined
  })
}

function deletedVersion({ head }: UnitDocument) {
  return { version: head?.version.id ?? null }
}

export function refuseWithResources(doc: UnitDocument, force: boolean): void {
  if (force || doc.head === null || (doc.head.tag === null && doc.missing === undefined)) return
  const { resources, encrypted, unreadable } = doc.head.version
  if (resources === 0) return
  const many =
    encrypted || unreadable === true || resources === null
      ? 'an unknown number of resources'
      : `${resources} resource${resources === 1 ? '' : 's'}`
  throw new TacoError('STATE_HAS_RESOURCES', `The state of ${doc.name} still holds ${many}.`, {
    facts: { unit: doc.name, resources },
    hint: 'Destroy them first, or delete with --force. The resources then keep running without a record.',
  })
}
