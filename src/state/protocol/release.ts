import { authorOf, systemCaller, withClaim } from '../../access/index.ts'
import { isTacoError, messageOf } from '../../base/errors.ts'
import type { Tag } from '../../bucket/index.ts'
import type { EventDraft } from '../journal/events.ts'
import type { Lock, UnitDocument } from '../documents/model.ts'
import { LockInfo } from '../documents/model.ts'
import type { Caller } from '../state-control.ts'
import type { UnitChanges } from '../documents/transitions.ts'
import { freeLock, wasReleased } from '../documents/transitions.ts'
import type { Unit } from '../documents/unit-store.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Target, Parts } from './context.ts'
import { idOf, loadUnit } from './context.ts'
import { lockNotHeld } from './refusals.ts'
import { resolveIntent } from './resolve.ts'

export function isExpired(lock: Lock, now: number): boolean {
  return lock.leaseUntil !== undefined && lock.leaseUntil < now
}

/** UNLOCK of the protocol: steps U1 to U4. Idempotent for the same id. */
export async function unlockUnit(
  parts: Parts,
  target: Target,
  lockId: string,
  caller: Caller,
): Promise<void> {
  // A cached document may start this: it takes effect only through a swap. A refusal is decided on a fresh one.
  const cached = parts.store.cached(target.org, target.id)
  let unit = cached?.value.lock?.id === lockId ? parts.store.folded(cached) : await loadUnit(parts, target)
  await untilDone(parts.deps.clock, 'unlocking', async () => {
    const { lock } = unit.value
    if (lock?.id !== lockId) {
      if (!wasReleased(unit.value, lockId)) throw lockNotHeld(unit.value, lockId)
      if (lock === null) await dropMirror(parts, unit.value)
      return undefined
    }
    if (lock.releasing !== undefined) {
      await takeOverRelease(parts, unit)
    } else {
      const releasing = withClaim(caller, lock.info.Who)
      const event: EventDraft = { type: 'lock.released', caller: releasing, data: { lock: lock.info } }
      if (await releaseLock(parts, unit, event)) return undefined
    }
    unit = await loadUnit(parts, target)
    return again
  })
}

/** U2 to U4 for the lock that this document holds. False: the document changed, read it again. */
export async function releaseLock(
  parts: Parts,
  unit: Unit,
  event: EventDraft,
  noted: UnitChanges = {},
): Promise<boolean> {
  const resolved = unit.value.write === null ? unit : await resolveIntent(parts, unit)
  if (resolved === undefined || resolved.value.lock?.id !== unit.value.lock?.id) return false
  if (!parts.deps.bucket.can.conditionalDelete) return releaseClaimed(parts, resolved, event, noted)
  const changes = { ...freeLock(resolved.value, parts.deps.clock.now()), ...noted }
  const freed = await parts.store.swap(resolved, changes, [event])
  if (freed === undefined) return false
  await dropMirror(parts, freed.value, resolved.value.lock ?? undefined)
  return true
}

/** U4: deletes a dead mirror, and only a dead one. `doc` is free, with the epoch up to which mirrors are dead. */
export async function dropMirror(parts: Parts, doc: UnitDocument, lock?: Lock): Promise<void> {
  if (!parts.deps.bucket.can.conditionalDelete) return
  const known = lock === undefined ? undefined : parts.mirrors.knownTag(doc, lock)
  if (known !== undefined && (await parts.mirrors.remove(doc, known)) === 'deleted') return
  await untilDone(parts.deps.clock, 'removing the lock object', async () => {
    const mirror = await parts.mirrors.read(doc)
    if (mirror.kind !== 'ours' || mirror.epoch > doc.epoch) return undefined
    const answer = await parts.mirrors.remove(doc, mirror.tag)
    return answer === 'deleted' || answer === 'absent' ? undefined : again
  })
}

/**
 * Stores without conditional delete: the delete happens inside a claimed state, sent once and never late, while
 * LOCKs wait. Among our own servers this is exact; against outsiders it rests on no DELETE outliving T.
 */
async function releaseClaimed(
  parts: Parts,
  unit: Unit,
  event: EventDraft,
  noted: UnitChanges,
): Promise<boolean> {
  const { clock, ids } = parts.deps
  const { lock } = unit.value
  if (lock === null) return false
  const releasing = { owner: ids.id('rel'), at: clock.now() }
  const claimed = await parts.store.swap(unit, { lock: { ...lock, releasing }, ...noted }, [event])
  return claimed !== undefined && finishRelease(parts, claimed)
}

/** Claims a free unit for one delete beside its state: LOCKs wait until `finishRelease`. */
export async function claimDelete(
  parts: Parts,
  unit: Unit,
  operation: string,
  events: readonly EventDraft[] = [],
): Promise<Unit | undefined> {
  const { clock, ids } = parts.deps
  const { by } = authorOf(systemCaller('opentaco'))
  const info = LockInfo.parse({ ID: ids.id('rel'), Operation: operation, Who: by })
  const epoch = unit.value.epoch + 1
  const at = clock.now()
  const lock = { id: info.ID, epoch, info, by, at, releasing: { owner: info.ID, at } }
  return parts.store.swap(unit, { lock, epoch }, events)
}

/**
 * Deletes the mirror once and frees the lock, for a release that this process has claimed. `doomed`: a foreign mirror
 * that is to be broken.
 */
export async function finishRelease(parts: Parts, claimed: Unit, doomed?: Tag): Promise<boolean> {
  const { clock, log, settings } = parts.deps
  const { lock } = claimed.value
  if (lock?.releasing === undefined) return false
  const deadline = lock.releasing.at + settings.deleteOutlivesMs / 2
  const mirror = await parts.mirrors.read(claimed.value)
  const isDead = mirror.kind === 'ours' && mirror.epoch <= claimed.value.epoch
  if (mirror.kind !== 'none' && (isDead || mirror.tag === doomed)) {
    const left = deadline - clock.now()
    // Past T/2 a DELETE could land after a helper took over: the helper does it instead.
    if (left <= 0) return false
    try {
      await parts.mirrors.remove(claimed.value, mirror.tag, {
        retry: false,
        signal: AbortSignal.timeout(Math.ceil(left)),
      })
    } catch (error) {
      log.warn('a lock object could not be deleted', { unit: claimed.value.name, error: messageOf(error) })
      // Unless it was refused, it may still land: no one may lock before it no longer can.
      if (!isTacoError(error, 'BUCKET_REFUSED')) await clock.sleep(settings.deleteOutlivesMs)
    }
  }
  const { releasing: _done, ...held } = lock
  const free = { ...claimed.value, lock: held }
  return (await parts.store.swap(claimed, freeLock(free, clock.now()))) !== undefined
}

/**
 * Waits for a release that is under way, and takes it over once its owner can no longer be acting. It had begun when we
 * saw it, so T from then on is enough, however far ahead its owner's clock was. The whole wait is one attempt of the
 * waiting caller: it says nothing about how many others want the unit.
 */
export async function takeOverRelease(parts: Parts, unit: Unit): Promise<void> {
  const { clock, ids, settings } = parts.deps
  const { releasing: other } = unit.value.lock ?? {}
  if (other === undefined) return
  const overAt = Math.min(other.at, clock.now()) + settings.deleteOutlivesMs
  let seen = unit
  for (let left = overAt - clock.now(); left > 0; left = overAt - clock.now()) {
    await clock.sleep(Math.min(left, 500))
    seen = await loadUnit(parts, idOf(unit))
    if (seen.value.lock?.releasing?.owner !== other.owner) return
  }
  const { lock, epoch } = seen.value
  if (lock === null) return
  const releasing = { owner: ids.id('rel'), at: clock.now() }
  const claimed = await parts.store.swap(seen, { epoch: epoch + 1, lock: { ...lock, releasing } })
  if (claimed !== undefined) await finishRelease(parts, claimed)
}
