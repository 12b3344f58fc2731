/**
 * Variables of units, and variable sets of organizations: what runs get beside the code. A sensitive value is sealed
 * before it is stored, and no service gives it away except `forRun`.
 */
export { createVariables, type VariableServices } from './services.ts'
export { type Candidate, type Effective, type Source } from './precedence.ts'
export { type RunVariable, type RunVariables, type UnitOwner, type UnitVariables } from './unit-variables.ts'
export { Category, type VariableChange, type VariableInput, type VariableView } from './variable.ts'
export { type Scope, type VariableSet, scopeFor } from './variable-set.ts'
export {
  type Attached,
  type NewSet,
  type SetChange,
  type VariableSets,
  noSuchSet,
  ownerOf,
  setTag,
} from './variable-sets.ts'
export { type SetSight, type SetSights } from './set-sight.ts'
export { type Owner, type VariableName, type Variables } from './variables.ts'
