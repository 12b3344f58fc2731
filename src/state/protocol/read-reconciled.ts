import { systemCaller } from '../../access/index.ts'
import type { Unit } from '../documents/unit-store.ts'
import { lookAt } from './reconcile.ts'
import type { Parts } from './context.ts'
import { idOf, loadUnit } from './context.ts'
import { isExpired } from './release.ts'

/**
 * The unit as a person should see it: if the state object is not what the document says, it was changed from outside,
 * and that is recorded first; an expired lock is freed. Costs one HEAD while all is in order.
 */
export async function seeUnit(parts: Parts, unit: Unit): Promise<Unit> {
  const folded = parts.store.folded(unit)
  const { lock } = folded.value
  if (folded.value.deleted !== undefined) return folded
  const entry = await parts.deps.bucket.head(folded.value.key)
  const tag = entry === undefined || entry.size === 0 ? null : entry.tag
  const isOver = lock !== null && isExpired(lock, parts.deps.clock.now())
  if (!isOver && folded.value.write === null && tag === (folded.value.head?.tag ?? null)) return folded
  await lookAt(parts, idOf(folded), systemCaller('opentaco'))
  return loadUnit(parts, idOf(folded))
}
