import type { Action } from '../actions.ts'
import type { TokenScope } from '../principal.ts'
import { matchesAction } from './action-patterns.ts'
import type { UnitFacts } from './rules.ts'
import { matchesUnit } from './unit-patterns.ts'

/** A scope with units allows nothing on the organization itself. */
export function isInScope(scope: TokenScope, action: Action, unit: UnitFacts | undefined): boolean {
  const { actions, units } = scope
  if (actions !== undefined && !actions.some((pattern) => matchesAction(pattern, action))) return false
  if (units === undefined) return true
  return unit !== undefined && units.some((pattern) => matchesUnit(pattern, unit))
}
