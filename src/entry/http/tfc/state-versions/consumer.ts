import type { Caller } from '../../../../access/index.ts'
import type { UnitRef } from '../../../../state/index.ts'

/** A run reads what other units have on behalf of its own, which is recorded like every such read. */
export function consumerOf({ principal }: Caller, ref: UnitRef): { readonly consumer?: string } {
  if (principal.kind !== 'run') return {}
  const { unit } = principal.scope
  return unit.id === ref.unit || unit.name === ref.unit ? {} : { consumer: unit.name }
}
