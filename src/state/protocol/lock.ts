import { authorOf } from '../../access/index.ts'
import type { Entry } from '../../bucket/index.ts'
import type { EventDraft } from '../journal/events.ts'
import type { Lock, LockInfo, UnitDocument } from '../documents/model.ts'
import type { Caller } from '../state-control.ts'
import {
  followState,
  isWorthMissing,
  mayHaveForgotten,
  takeLock,
  wasReleased,
} from '../documents/transitions.ts'
import type { Unit } from '../documents/unit-store.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Placed } from './mirror.ts'
import type { Target, Parts } from './context.ts'
import { loadUnit } from './context.ts'
import { recordState } from './record-outside-write.ts'
import { lockedBy, lockedByHolder, lockNotHeld, overtaken, stateMissing, unitGone } from './refusals.ts'
import { isExpired, releaseLock, takeOverRelease } from './release.ts'

export interface LockRequest {
  readonly info: LockInfo
  readonly reason?: string | undefined
  /** The lock frees itself after this long unless renewed. */
  readonly leaseMs?: number | undefined
  /** Throws for a document that must not be locked; called for the very one that the lock goes into. */
  readonly check?: ((doc: UnitDocument) => void) | undefined
  /** For an operation that puts a missing state right, or decides by itself what to do without one. */
  readonly evenIfMissing?: boolean | undefined
}

/** LOCK of the protocol: steps L1 to L4. Idempotent for the same id. */
export async function lockUnit(
  parts: Parts,
  target: Target,
  request: LockRequest,
  caller: Caller,
): Promise<Unit> {
  const { clock } = parts.deps
  let sinceEpoch = Infinity
  return untilDone(clock, 'locking', async () => {
    // L1
    const ahead = request.evenIfMissing === true ? undefined : headAhead(parts, target)
    const unit = await loadUnit(parts, target)
    const doc = unit.value
    if (doc.deleted !== undefined) throw unitGone(doc)
    if (doc.lock !== null) {
      if (doc.lock.releasing !== undefined) {
        await takeOverRelease(parts, unit)
        return again
      }
      if (doc.lock.id === request.info.ID) {
        await parts.mirrors.create(doc, doc.lock)
        return unit
      }
      if (!isExpired(doc.lock, clock.now())) throw lockedByHolder(doc, doc.lock)
      await releaseLock(parts, unit, { type: 'lock.expired', caller, data: { lock: doc.lock.info } })
      return again
    }
    if (wasReleased(doc, request.info.ID)) throw lockNotHeld(doc, request.info.ID)
    if (request.evenIfMissing !== true && (await isVanished(parts, unit, ahead))) return again
    sinceEpoch = Math.min(sinceEpoch, doc.epoch)
    if (mayHaveForgotten(doc, sinceEpoch)) throw overtaken(doc)
    request.check?.(doc)

    const lock = newLock(doc, request, caller, clock.now())
    const placed = await placeMirror(parts, doc, lock)
    if (placed === undefined) return again
    const entering = { lock, placed, caller, check: request.check }
    return (await enterLock(parts, target, unit, entering)) ?? again
  })
}

/** The state object, requested beside the document if its key is known. */
function headAhead(parts: Parts, target: Target): Ahead | undefined {
  const cached = parts.store.cached(target.org, target.id)
  if (cached === undefined || !isWorthMissing(cached.value)) return undefined
  const { key } = cached.value
  const entry = parts.deps.bucket.head(key)
  // If it fails, the caller that needs it gets the error; the document may refuse the lock before that.
  entry.catch(() => {})
  return { key, entry }
}

interface Ahead {
  readonly key: string
  readonly entry: Promise<Entry | undefined>
}

/**
 * An engine that is about to work must not find out by "no state" that its state was emptied or deleted around us, and
 * the refusal of a lock is the only one that engines show to people. True: that was recorded just now.
 */
async function isVanished(parts: Parts, unit: Unit, ahead: Ahead | undefined): Promise<boolean> {
  const doc = unit.value
  if (doc.missing !== undefined) throw stateMissing(doc)
  if (doc.write !== null || !isWorthMissing(doc)) return false
  const entry = await (ahead?.key === doc.key ? ahead.entry : parts.deps.bucket.head(doc.key))
  if (entry !== undefined && entry.size > 0) return false
  return (await recordState(parts, unit)) !== unit
}

export function newLock(doc: UnitDocument, request: LockRequest, caller: Caller, now: number): Lock {
  return {
    id: request.info.ID,
    epoch: doc.epoch + 1,
    info: request.info,
    ...authorOf(caller),
    at: now,
    ...(request.reason === undefined ? {} : { reason: request.reason }),
    ...(request.leaseMs === undefined ? {} : { leaseUntil: now + request.leaseMs }),
  }
}

/** L2 and L3. Undefined: the document is behind the mirror, read it again. */
export async function placeMirror(parts: Parts, doc: UnitDocument, lock: Lock): Promise<Placed | undefined> {
  return untilDone(parts.deps.clock, 'locking', async () => {
    const created = await parts.mirrors.create(doc, lock)
    if (created !== undefined) return created
    const mirror = await parts.mirrors.read(doc)
    if (mirror.kind === 'none') return again
    if (mirror.kind === 'foreign') throw lockedBy(doc, mirror.info, true)
    if (mirror.epoch === lock.epoch && mirror.info.ID === lock.id) return { tag: mirror.tag }
    if (mirror.epoch > lock.epoch) {
      // A LOCK that is under way, or one that crashed. If the document really is behind, it must not stay so: epochs
      // distinguish dead mirrors from live ones only while they never fall back.
      const fresh = await loadUnit(parts, { org: doc.org, id: doc.id })
      if (fresh.value.lock === null && fresh.value.epoch < mirror.epoch) {
        await parts.store.swap(fresh, { epoch: mirror.epoch })
      }
      return undefined
    }
    // Always rewritten, never adopted as it is: a late DELETE of its former owner must miss.
    return (await parts.mirrors.replace(doc, lock, mirror.tag)) ?? again
  })
}

interface Entering {
  readonly lock: Lock
  readonly placed: Placed
  readonly caller: Caller
  readonly check: LockRequest['check']
}

/** L4. Undefined: the document changed meanwhile, start over. */
async function enterLock(
  parts: Parts,
  target: Target,
  first: Unit,
  { lock, placed, caller, check }: Entering,
): Promise<Unit | undefined> {
  let unit = first
  return untilDone(parts.deps.clock, 'locking', async () => {
    const changes = { ...takeLock(unit.value, lock), ...followState(unit.value, placed.moved) }
    const swapped = await parts.store.swap(unit, changes, [takenEvent(lock, caller)])
    if (swapped !== undefined) return swapped
    // By its name, if it was requested by name: a unit that was renamed meanwhile is not the one that was meant.
    const now = await loadUnit(parts, target)
    const doc = now.value
    if (doc.deleted !== undefined) throw unitGone(doc)
    if (doc.lock?.id === lock.id && doc.lock.releasing === undefined) return now
    // The mirror that was just written is left alone: it may be the winner's by now, and a live lock needs one.
    if (doc.lock !== null && doc.lock.releasing === undefined) throw lockedByHolder(doc, doc.lock)
    if (wasReleased(doc, lock.id)) throw lockNotHeld(doc, lock.id)
    if (doc.lock !== null || doc.epoch !== unit.value.epoch || doc.key !== unit.value.key) return undefined
    check?.(doc)
    unit = now
    return again
  })
}

export function takenEvent(lock: Lock, caller: Caller): EventDraft {
  return { type: 'lock.taken', caller, data: { lock: lock.info, reason: lock.reason ?? null } }
}

/** Moves the end of a lease; a lock without one stays without. */
export async function renewLock(
  parts: Parts,
  target: Target,
  lockId: string,
  leaseMs: number,
): Promise<Unit> {
  const { clock } = parts.deps
  return untilDone(clock, 'renewing the lock', async () => {
    const unit = await loadUnit(parts, target)
    const { lock } = unit.value
    if (lock === null || lock.id !== lockId || lock.releasing !== undefined)
      throw lockNotHeld(unit.value, lockId)
    const renewed: Lock = {
      ...lock,
      seenAt: clock.now(),
      ...(lock.leaseUntil === undefined ? {} : { leaseUntil: clock.now() + leaseMs }),
    }
    return (await parts.store.swap(unit, { lock: renewed })) ?? again
  })
}
