import type { Caller } from '../../../../../access/index.ts'
import { isTacoError } from '../../../../../base/errors.ts'
import { sha256Hex } from '../../../../../base/sha256-hex.ts'
import { type UnitRef, type UnitView, changedMeanwhile, noSuchUnit } from '../../../../../state/index.ts'
import type { WebServices } from '../../services.ts'
import { type InputForm, inputsOf } from './inputs.ts'

type SettingsForm = InputForm | 'delete'

/** Of what a form shows. The tag of the whole unit changes with every lock and every new state. Pure. */
export function seenTag(form: SettingsForm, unit: UnitView): string {
  const shown = form === 'delete' ? [unit.name, unit.state?.id] : inputsOf(unit)[form]
  return sha256Hex(JSON.stringify(shown)).slice(0, 32)
}

const TRIES = 5

/**
 * Changes a unit if what the form shows is still as the person saw it; otherwise PRECONDITION_FAILED. Whatever else
 * changes meanwhile, such as its lock, is no reason to refuse.
 */
export async function changeSeen<T>(
  { control }: Pick<WebServices, 'control'>,
  ref: UnitRef,
  { form, seen }: { readonly form: SettingsForm; readonly seen: string },
  change: (unit: UnitView, expected: readonly string[]) => Promise<T>,
  caller: Caller,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const unit = await control.units.get(ref, caller)
    if (unit.deleted !== null) throw noSuchUnit(ref)
    if (seenTag(form, unit) !== seen) throw changedMeanwhile(`The unit ${unit.name}`)
    try {
      return await change(unit, [unit.etag])
    } catch (error) {
      if (!isTacoError(error, 'PRECONDITION_FAILED') || tries === TRIES) throw error
    }
  }
}
