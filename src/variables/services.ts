import type { StateControl } from '../state/index.ts'
import { type UnitVariables, createUnitVariables } from './unit-variables.ts'
import { type SetDeps, type VariableSets, createVariableSets } from './variable-sets.ts'
import { type VariableDeps, type Variables, createVariableStore } from './variables.ts'

export interface VariableServices {
  readonly variables: Variables
  readonly variableSets: VariableSets
  readonly unitVariables: UnitVariables
}

export function createVariables(
  deps: VariableDeps & SetDeps,
  { units }: Pick<StateControl, 'units'>,
): VariableServices {
  const store = createVariableStore(deps)
  const variableSets = createVariableSets(deps, store)
  return { variables: store, variableSets, unitVariables: createUnitVariables(store, variableSets, units) }
}
