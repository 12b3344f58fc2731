import { TacoError } from '../base/errors.ts'
import type { Locator } from './locate.ts'
import type { Read } from './model.ts'
import { again, untilDone } from './protocol/attempts.ts'
import type { Parts } from './protocol/parts.ts'
import type { UnitRef } from './services.ts'

/** More than this many reads between two writes are merged: of each unit the oldest counts anyway. */
const MOST_PENDING = 200

/**
 * Notes in the reading unit's document what it was given, before it is given. The unit's next write takes it up as
 * its receipt.
 */
export async function recordRead(
  parts: Parts,
  locator: Locator,
  consumer: UnitRef,
  read: Omit<Read, 'at'>,
): Promise<void> {
  const { clock } = parts.deps
  await untilDone(clock, 'recording what was read', async () => {
    const unit = await locator.find(consumer)
    const doc = parts.store.folded(unit).value
    if (doc.id === read.from)
      throw new TacoError('BAD_REQUEST', `${doc.name} cannot read its own outputs as a dependency`, {
        facts: { field: 'consumer' },
      })
    const lock = doc.lock?.id ?? null
    const same = doc.pendingReads.some(
      (known) =>
        known.from === read.from &&
        known.commit === read.commit &&
        known.lock === lock &&
        covers(known.names, read.names),
    )
    if (same) return undefined
    const pendingReads = [...doc.pendingReads, { ...read, lock, at: clock.now() }].slice(-MOST_PENDING)
    return (await parts.store.swap(unit, { pendingReads })) === undefined ? again : undefined
  })
}

function covers(known: readonly string[] | null, wanted: readonly string[] | null): boolean {
  if (known === null) return true
  return wanted !== null && wanted.every((name) => known.includes(name))
}
