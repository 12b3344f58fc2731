import type { Caller } from '../../../../access/index.ts'
import type { StateControl, UnitRef, UnitView } from '../../../../state/index.ts'
import { notFound } from '../kit/errors.ts'

/** The unit of a workspace. An id leads to a deleted unit as well, which is no workspace any more. */
export async function liveUnit(
  { units }: Pick<StateControl, 'units'>,
  ref: UnitRef,
  caller: Caller,
): Promise<UnitView> {
  const unit = await units.get(ref, caller)
  if (unit.deleted !== null) throw notFound()
  return unit
}
