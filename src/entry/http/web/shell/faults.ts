import { type ErrorCode, type TacoError, isTacoError } from '../../../../base/errors.ts'

/** What is wrong with a form, by the name of the field. */
export type Faults = Readonly<Record<string, string>>

/**
 * What a service refused, at the field that it names. Throws everything that no field can help with: those have a page
 * of their own. `otherwise`: the field for what names none.
 */
export function faultsOf(error: unknown, otherwise: string): Faults {
  if (!isTacoError(error, 'BAD_REQUEST')) throw error
  const { field = otherwise } = error.facts as { readonly field?: string }
  return { [field.split('.')[0] ?? field]: said(error) }
}

/**
 * The same for a form with these fields: what names none of them is shown at the first. `also`: further codes that the
 * person can help with, such as a name that does not exist.
 */
export function faultsAt(
  error: unknown,
  fields: readonly [string, ...string[]],
  ...also: readonly ErrorCode[]
): Faults {
  if (!isTacoError(error, 'BAD_REQUEST', ...also)) throw error
  const { field = '' } = error.facts as { readonly field?: string }
  const [name = ''] = field.split('.')
  return { [fields.includes(name) ? name : fields[0]]: said(error) }
}

const MOST_SAID = 300

/** What was typed may be long, and is in the field; what is wrong with it comes at the end. */
function said({ message, hint }: TacoError): string {
  const isLong = message.length > MOST_SAID
  const shown = isLong ? `${message.slice(0, 60)}…${message.slice(-160)}` : message
  return hint === undefined ? shown : `${shown} ${hint}`
}
