import { isTacoError } from '../../../../base/errors.ts'
import type { Caller, OutputView, UnitRef } from '../../../../state/index.ts'
import type { WebServices } from '../services.ts'

/** The value of an output at some commit. `json`: every digit kept. */
export type OutputValue =
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'sensitive' | 'none' | 'unknown' }

/** The outputs of a unit at a commit, by name. Without sensitive values. */
export interface OutputValues {
  of(name: string): OutputValue
}

/** `commit`: undefined for the current one. The caller must have the right `outputs:read`. */
export async function outputValues(
  { control }: Pick<WebServices, 'control'>,
  ref: UnitRef,
  commit: number | undefined,
  caller: Caller,
): Promise<OutputValues> {
  const asked = { sensitive: false, ...(commit === undefined ? {} : { commit }) }
  try {
    const { outputs } = await control.outputs.get(ref, asked, caller)
    return { of: (name) => valueIn(outputs, name) }
  } catch (error) {
    // Retention removed the commit, or the state is gone.
    if (!isTacoError(error, 'GONE', 'NOT_FOUND', 'STATE_MISSING')) throw error
    return { of: () => ({ kind: 'unknown' }) }
  }
}

function valueIn(outputs: readonly OutputView[] | null, name: string): OutputValue {
  if (outputs === null) return { kind: 'unknown' }
  const found = outputs.find((output) => output.name === name)
  if (found === undefined) return { kind: 'none' }
  if (found.json !== undefined) return { kind: 'value', json: found.json }
  return { kind: found.sensitive ? 'sensitive' : 'unknown' }
}
