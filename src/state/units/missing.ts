import { TacoError } from '../../base/errors.ts'
import type { UnitRef } from '../state-control.ts'

/** Also said of what the caller may not see: the two cannot be told apart. */
export function noSuchUnit({ org, unit }: UnitRef): TacoError {
  return new TacoError('NOT_FOUND', `There is no unit ${unit} in the organization ${org}.`, {
    facts: { field: 'unit', unit },
    hint: 'See `taco unit ls`. Restore a deleted unit with `taco unit restore`.',
  })
}

/** Also said of what the caller may not see. */
export function noSuchOrg(org: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no organization ${org}.`, {
    facts: { field: 'org', org },
    hint: 'See `taco org ls`, or create it with `taco org create`.',
  })
}
