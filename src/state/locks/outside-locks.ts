import { isRecent } from '../../base/clock.ts'
import { lockBeside } from '../../bucket/index.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import type { Parts } from '../protocol/context.ts'
import type { Outside } from '../upkeep/sweep.ts'
import { listOutside } from '../upkeep/sweep.ts'
import { viewOutsideLock } from '../views/to-views.ts'
import type { LockView, UnitView } from '../views/views.ts'

/** Locks as a list should show them: made around OpenTaco too, and not those whose lease ran out. */
export interface LocksSeen {
  asOfNow(units: readonly UnitView[]): Promise<readonly UnitView[]>
  /** What a listing for another purpose found. */
  learn(outside: Outside): void
}

/** Is the state at this key locked? */
type IsLocked = Outside['isLocked']

const never: IsLocked = () => false

/** So many units are looked at one by one; for more, one listing of everything costs less. */
const A_PAGE = 1000

/**
 * No document mentions a lock that was made in the bucket itself. Where a look at one object costs almost nothing, we
 * look at each unit of a page. For more units, one listing finds them all, and is trusted for as long as a listing of
 * units is; what it found is read, so that a released lock is not shown. Where a listing takes many requests we make
 * none for this: such locks appear in lists after a sweep, and at once when you look at the unit.
 */
export function createLocksSeen({ deps, mirrors }: Parts): LocksSeen {
  const { bucket, clock, settings } = deps
  const { placeOf, isLock } = bucket.locks ?? lockBeside
  let found: { readonly isLocked: IsLocked; readonly at: number } | undefined
  let finding: Promise<IsLocked> | undefined

  function lockedAmong(units: readonly UnitView[]): IsLocked | Promise<IsLocked> {
    if (!bucket.can.listsInOneRequest) return found?.isLocked ?? never
    if (units.length <= A_PAGE) return lookAtEach(units)
    if (found !== undefined && isRecent(clock, found.at, settings.catalogVerifyMs)) return found.isLocked
    finding ??= find().finally(() => (finding = undefined))
    return finding
  }

  async function lookAtEach(units: readonly UnitView[]): Promise<IsLocked> {
    const locked = new Set<string>()
    for (const unit of units) {
      const entry = isFree(unit) ? await bucket.head(placeOf(unit.key)) : undefined
      if (entry !== undefined && isLock(entry)) locked.add(unit.key)
    }
    return (key) => locked.has(key)
  }

  function learn({ isLocked }: Outside): IsLocked {
    found = { isLocked, at: clock.now() }
    return isLocked
  }

  async function find(): Promise<IsLocked> {
    return learn(await listOutside(bucket))
  }

  return {
    learn: (outside) => void learn(outside),
    async asOfNow(units) {
      const now = clock.now()
      const locks = new Map<string, LockView | null>()
      for (const { id, lock } of units)
        if (lock?.leaseUntil != null && Date.parse(lock.leaseUntil) < now) locks.set(id, null)
      const isLocked = units.length === 0 ? never : await lockedAmong(units)
      const suspects = units.filter((unit) => isFree(unit) && isLocked(unit.key))
      await forEachLimit(suspects, 32, async (unit) => {
        const mirror = await mirrors.read(unit)
        if (mirror.kind === 'foreign') locks.set(unit.id, viewOutsideLock(mirror.info, now))
      })
      if (locks.size === 0) return units
      return units.map((unit) => ({
        ...unit,
        lock: locks.get(unit.id) ?? (locks.has(unit.id) ? null : unit.lock),
      }))
    },
  }
}

function isFree({ lock, deleted }: UnitView): boolean {
  return lock === null && deleted === null
}
