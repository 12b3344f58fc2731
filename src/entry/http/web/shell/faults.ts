import { isTacoError } from '../../../../base/errors.ts'

/** What is wrong with a form, by the name of the field. */
export type Faults = Readonly<Record<string, string>>

/**
 * What a service refused, at the field that it names. Throws everything that no field can help with: those have a page
 * of their own. `otherwise`: the field for what names none.
 */
export function faultsOf(error: unknown, otherwise: string): Faults {
  if (!isTacoError(error, 'BAD_REQUEST')) throw error
  const { field = otherwise } = error.facts as { readonly field?: string }
  const hint = error.hint === undefined ? '' : ` ${error.hint}`
  return { [field.split('.')[0] ?? field]: error.message + hint }
}
