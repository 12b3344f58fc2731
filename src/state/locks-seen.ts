import { messageOf } from '../base/errors.ts'
import { inBatches } from './history.ts'
import { lockKey } from './layout.ts'
import type { Parts } from './protocol/parts.ts'
import { outsideEntries } from './sweep.ts'
import { viewOutsideLock } from './view-unit.ts'
import type { LockView, UnitView } from './views.ts'

/** Locks as a list should show them: made around OpenTaco too, and not those whose lease ran out. */
export interface LocksSeen {
  asOfNow(units: readonly UnitView[]): Promise<readonly UnitView[]>
}

/**
 * No document tells of a lock that somebody made in the bucket itself. One listing finds them all, and is believed as
 * long as a listing of units is; what it found is read, so that a lock that is gone is not shown. Where a listing takes
 * many requests nobody waits for it: such a lock then shows in lists a little later than in a look at the unit itself.
 */
export function createLocksSeen({ deps, mirrors }: Parts): LocksSeen {
  const { bucket, clock, log, settings } = deps
  const none: ReadonlySet<string> = new Set()
  let found: { readonly keys: ReadonlySet<string>; readonly at: number } | undefined
  let finding: Promise<ReadonlySet<string>> | undefined

  function lockObjects(): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    if (found !== undefined && clock.now() - found.at < settings.catalogVerifyMs) return found.keys
    finding ??= find()
      .catch((error: unknown) => {
        log.warn('locks made around us could not be listed', { error: messageOf(error) })
        return none
      })
      .finally(() => (finding = undefined))
    return bucket.can.listsInOneRequest ? finding : (found?.keys ?? none)
  }

  async function find(): Promise<ReadonlySet<string>> {
    const at = clock.now()
    const keys = new Set<string>()
    for await (const { key } of outsideEntries(bucket)) if (key.endsWith('.tflock')) keys.add(key)
    found = { keys, at }
    return keys
  }

  return {
    async asOfNow(units) {
      const now = clock.now()
      const locks = new Map<string, LockView | null>()
      for (const { id, lock } of units)
        if (lock?.leaseUntil != null && Date.parse(lock.leaseUntil) < now) locks.set(id, null)
      const keys = units.length === 0 ? none : await lockObjects()
      const suspects = units.filter(
        ({ key, lock, deleted }) => lock === null && deleted === null && keys.has(lockKey(key)),
      )
      await inBatches(suspects, 32, async (unit) => {
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
