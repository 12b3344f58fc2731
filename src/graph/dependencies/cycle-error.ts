import { TacoError } from '../../base/errors.ts'

export function spellCycle(cycle: readonly string[]): string {
  return cycle.join(' → ')
}

/** Every refusal of a cycle has the same code, and the names in `facts.cycle`. */
export function cycleError(
  message: string,
  cycle: readonly string[],
  { hint, field }: { readonly hint: string; readonly field?: string },
): TacoError {
  return new TacoError('CONFLICT', `${message}: ${spellCycle(cycle)}.`, {
    facts: { ...(field === undefined ? {} : { field }), cycle },
    hint,
  })
}
