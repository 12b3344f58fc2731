import type { Projects } from '../projects/index.ts'
import type { StateControl } from '../state/index.ts'
import { type SetSights, createSetSights } from './set-sight.ts'
import { type UnitVariables, createUnitVariables } from './unit-variables.ts'
import { type VariableSets, createVariableSets } from './variable-sets.ts'
import { type VariableDeps, type Variables, createVariableStore } from './variables.ts'

export interface VariableServices {
  readonly variables: Variables
  readonly variableSets: VariableSets
  readonly setSights: SetSights
  readonly unitVariables: UnitVariables
}

export function createVariables(
  deps: VariableDeps & { readonly projects: Projects },
  { units }: Pick<StateControl, 'units'>,
): VariableServices {
  const store = createVariableStore(deps)
  const variableSets = createVariableSets(deps, store)
  const unitVariables = createUnitVariables(store, variableSets, units)
  const setSights = createSetSights({ units, projects: deps.projects, unitVariables })
  return { variables: store, variableSets, setSights, unitVariables }
}
