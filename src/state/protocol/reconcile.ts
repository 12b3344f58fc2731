import type { Caller } from '../state-control.ts'
import type { Unit } from '../documents/unit-store.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Target, Parts } from './context.ts'
import { loadUnit } from './context.ts'
import { recordState } from './record-outside-write.ts'
import { claimDelete, finishRelease, isExpired, releaseLock, takeOverRelease } from './release.ts'
import { resolveIntent } from './resolve.ts'

/** What a look repaired, by name: empty when all was in order. */
export type Repairs = readonly string[]

/**
 * LOOK: carries left-over work forward and makes bucket and document agree. Anyone may do it at any time; a sweep
 * must, because a dead mirror blocks programs that go to the bucket directly.
 */
export async function lookAt(parts: Parts, target: Target, caller: Caller): Promise<Repairs> {
  const repairs: string[] = []
  await untilDone(parts.deps.clock, 'looking after the unit', async () => {
    const unit = await loadUnit(parts, target)
    const { lock, write } = unit.value
    if (write !== null) {
      await resolveIntent(parts, unit)
      repairs.push('finished a committed write')
      return again
    }
    if (unit.value.claiming !== undefined) {
      // A rename or restore that crashed, or one under way: that one starts over. Names must not stay taken without an
      // owner.
      await parts.store.swap(unit, { claiming: undefined })
      repairs.push('released a name that was claimed but not used')
      return again
    }
    if (unit.value.deleted === undefined) {
      const recorded = await recordState(parts, unit)
      if (recorded !== unit) {
        repairs.push('recorded a state that was written around OpenTaco')
        return again
      }
    }
    if (lock?.releasing !== undefined) {
      await takeOverRelease(parts, unit)
      return again
    }
    if (lock !== null && isExpired(lock, parts.deps.clock.now())) {
      await releaseLock(parts, unit, { type: 'lock.expired', caller, data: { lock: lock.info } })
      repairs.push('released a lock whose lease had expired')
      return again
    }
    return mendMirror(parts, unit, repairs)
  })
  return repairs
}

async function mendMirror(parts: Parts, unit: Unit, repairs: string[]): Promise<undefined | typeof again> {
  const doc = unit.value
  const mirror = await parts.mirrors.read(doc)
  if (doc.lock !== null) {
    if (mirror.kind !== 'none') return undefined
    const placed = await parts.mirrors.create(doc, doc.lock)
    if (placed === undefined) return again
    repairs.push('restored the lock object for programs that use the bucket directly')
    return placed.moved === undefined ? undefined : again
  }
  if (mirror.kind !== 'ours') return undefined
  if (mirror.epoch > doc.epoch) {
    // A LOCK under way or its corpse: first make its compare-and-swap fail, only then is it dead for certain.
    await parts.store.swap(unit, { epoch: mirror.epoch })
    return again
  }
  if (!parts.deps.bucket.can.conditionalDelete) return removeDeadClaimed(parts, unit, repairs)
  const answer = await parts.mirrors.remove(doc, mirror.tag)
  if (typeof answer === 'object') return again
  repairs.push('removed a left-over lock object')
  return undefined
}

/** Without conditional deletes a dead mirror goes through the same claimed state as an unlock. */
async function removeDeadClaimed(parts: Parts, unit: Unit, repairs: string[]): Promise<typeof again> {
  const claimed = await claimDelete(parts, unit, 'sweep')
  if (claimed !== undefined && (await finishRelease(parts, claimed)))
    repairs.push('removed a left-over lock object')
  return again
}
