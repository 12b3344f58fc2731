import type { Sight } from '../../../access/index.ts'
import { TacoError, isTacoError } from '../../../base/errors.ts'

/** The new name of a renamed unit is only for those who may see the unit under it. */
export function withoutHiddenName(error: unknown, sight: Sight | undefined): unknown {
  if (sight === undefined || sight.seesAll || !isTacoError(error, 'NOT_FOUND', 'NAME_GIVEN_UP')) return error
  const { renamedTo: name, id, unit, field } = error.facts
  if (typeof name !== 'string') return error
  // Its labels are not known here, so a role that goes by labels shows nothing.
  if (sight.may('unit:read', { id: typeof id === 'string' ? id : null, name, labels: {} })) return error
  return new TacoError(error.code, `The unit ${String(unit)} was renamed.`, {
    facts: { field, unit },
    hint: 'Ask an administrator of the organization for its new name.',
  })
}
