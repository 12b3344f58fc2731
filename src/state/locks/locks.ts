import { withClaim } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import { answeredBefore, noteRequest } from '../../bucket/index.ts'
import type { EventDraft } from '../journal/events.ts'
import { type Locator, ifMoved } from '../units/locate.ts'
import { again, untilDone } from '../../base/attempts.ts'
import { lockUnit, renewLock } from '../protocol/lock.ts'
import type { Parts, Target } from '../protocol/context.ts'
import { loadUnit } from '../protocol/context.ts'
import { lockNotHeld } from '../protocol/refusals.ts'
import { seeUnit } from '../protocol/read-reconciled.ts'
import { claimDelete, finishRelease, releaseLock, takeOverRelease, unlockUnit } from '../protocol/release.ts'
import type { Caller, Locks } from '../state-control.ts'
import type { UnitMaker } from '../units/unit-making.ts'
import { viewLock, viewOutsideLock } from '../views/to-views.ts'
import type { LockView } from '../views/views.ts'

export function createLocks(parts: Parts, locator: Locator, maker: UnitMaker): Locks {
  const { clock } = parts.deps

  async function forceUnlock(
    target: Target,
    id: string | undefined,
    caller: Caller,
  ): Promise<LockView | null> {
    return untilDone(clock, 'breaking the lock', async () => {
      const unit = await loadUnit(parts, target)
      const { lock } = unit.value
      // A lock that is held now is not the one that was meant.
      if (answeredBefore(unit.value.answered, caller) !== undefined) return null
      if (lock === null) return breakOutsideLock(parts, target, id, caller)
      if (id !== undefined && lock.id !== id) throw lockNotHeld(unit.value, id)
      if (lock.releasing !== undefined) {
        await takeOverRelease(parts, unit)
        return again
      }
      const view = viewLock(lock)
      const event = { type: 'lock.forced' as const, caller, data: { lock: lock.info } }
      const noted = noteRequest(unit.value.answered, caller, clock.now())
      const forced = await releaseLock(parts, unit, event, noted)
      return forced ? view : again
    })
  }

  return {
    async get(ref) {
      const unit = await seeUnit(parts, await locator.find(ref))
      if (unit.value.lock !== null) return viewLock(unit.value.lock)
      const mirror = await parts.mirrors.read(unit.value)
      return mirror.kind === 'foreign' ? viewOutsideLock(mirror.info, clock.now()) : null
    },
    async lock(ref, info, options, locking) {
      const caller = withClaim(locking, info.Who)
      const request = { info, reason: options.reason, leaseMs: options.leaseMs }
      const known = locator.remembered(ref)
      const locked = known && (await lockUnit(parts, known, request, caller).catch(ifMoved))
      if (locked !== undefined) return lockViewOf(locked.value.lock, ref.unit)
      const target = await (options.createUnit === true ? maker.target(ref, caller) : locator.target(ref))
      const unit = await lockUnit(parts, target, request, caller)
      return lockViewOf(unit.value.lock, ref.unit)
    },
    async renew(ref, id, leaseMs, _caller) {
      const unit = await locator.withTarget(ref, (target) => renewLock(parts, target, id, leaseMs))
      return lockViewOf(unit.value.lock, ref.unit)
    },
    unlock: (ref, id, caller) => locator.withTarget(ref, (target) => unlockUnit(parts, target, id, caller)),
    forceUnlock: (ref, { id }, caller) =>
      locator.withTarget(ref, (target) => forceUnlock(target, id, caller)),
  }
}

function lockViewOf(lock: Parameters<typeof viewLock>[0] | null, unit: string): LockView {
  if (lock === null)
    throw new TacoError('CONFLICT', `The lock of ${unit} was broken as soon as it was acquired.`, {
      hint: 'Try again.',
    })
  return viewLock(lock)
}

/** A lock that was made in the bucket itself: compared, then deleted on condition that it is unchanged. */
async function breakOutsideLock(
  parts: Parts,
  target: Target,
  id: string | undefined,
  caller: Caller,
): Promise<LockView | null | typeof again> {
  const unit = await loadUnit(parts, target)
  const mirror = await parts.mirrors.read(unit.value)
  if (mirror.kind !== 'foreign') {
    if (id === undefined) return null
    throw lockNotHeld(unit.value, id)
  }
  // `backend "gcs"` takes the lock object's generation for the id, and shows that one.
  if (id !== undefined && id !== mirror.info.ID && id !== mirror.tag) {
    throw new TacoError('LOCK_MISMATCH', `${unit.value.name} is locked in the bucket under another id.`, {
      facts: { holder: mirror.info, given: id },
      hint: 'Give the id that `taco lock` shows, or no id.',
    })
  }
  const forced: EventDraft = { type: 'lock.forced', caller, data: { lock: mirror.info, outside: true } }
  if (!parts.deps.bucket.can.conditionalDelete) {
    const claimed = await claimDelete(parts, unit, 'force-unlock', [forced])
    if (claimed === undefined) return again
    const isDone = await finishRelease(parts, claimed, mirror.tag)
    const left = isDone ? undefined : await parts.mirrors.read(unit.value)
    // The process that took the release over may have let another client in by now: break only the lock that was meant.
    if (left?.kind === 'foreign' && left.tag === mirror.tag) return again
    return viewOutsideLock(mirror.info, parts.deps.clock.now())
  }
  // Record first, then act: a crash in between leaves a record, never a lock that vanished without one.
  if ((await parts.store.swap(unit, {}, [forced])) === undefined) return again
  const answer = await parts.mirrors.remove(unit.value, mirror.tag)
  if (typeof answer === 'object') return again
  return viewOutsideLock(mirror.info, parts.deps.clock.now())
}
