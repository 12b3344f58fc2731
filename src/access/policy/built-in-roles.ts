import type { Action } from '../actions.ts'
import type { Role } from './rules.ts'

const READ: readonly Action[] = [
  'org:read',
  'unit:read',
  'state:read',
  'versions:read',
  'versions:read-state',
  'outputs:read',
  'outputs:read-sensitive',
  'graph:read',
  'rollout:read',
  'vars:read',
  'events:read',
  'registry:read',
  'policy:read',
  'notification:read',
]

/** A local plan locks the unit, reads on behalf of it and needs its variables. Nothing here can change a state. */
const PLAN: readonly Action[] = [...READ, 'run:plan', 'lock', 'reads:record', 'vars:read-sensitive']

/** `run:token` belongs here and not to planning: a run token can write the state of its unit. */
const OPERATE: readonly Action[] = [
  ...PLAN,
  'run:apply',
  'run:approve',
  'run:token',
  'state:write',
  'state:rollback',
  'vars:write',
  'graph:write',
  'rollout:start',
  'rollout:work',
  'rollout:control',
]

/** Also what could get around a rule: renaming a unit out of a pattern, changing a label, turning off a guard. */
const ADMINISTER: readonly Action[] = [
  ...OPERATE,
  'unit:create',
  'unit:update',
  'unit:rename',
  'unit:delete',
  'unit:restore',
  'unit:admin',
  'state:delete',
  'state:force',
  'state:break-glass',
  'unlock-others',
  'guard:set',
  'org:admin',
  'registry:publish',
  'policy:manage',
  'notification:manage',
]

/** Everything about units and people except content: no states, outputs or variables. */
const AUDIT: readonly Action[] = [
  'org:read',
  'unit:read',
  'versions:read',
  'graph:read',
  'rollout:read',
  'events:read',
  'access:read',
  'audit:read',
]

function builtIn<N extends string>(name: N, description: string, actions: readonly string[]) {
  return { name, description, rules: [{ effect: 'allow', actions }] } as const satisfies Role
}

/** Lists of actions rather than patterns: a new action is given to a role on purpose. */
export const BUILT_IN_ROLES = {
  reader: builtIn('reader', 'reads units, states, outputs, variables and events', READ),
  planner: builtIn('planner', 'a reader who can also plan', PLAN),
  operator: builtIn('operator', 'a planner who can also apply, write states and run rollouts', OPERATE),
  admin: builtIn('admin', 'an operator who can also create, change, delete and guard units', ADMINISTER),
  owner: builtIn('owner', 'may do everything in the organization, including access', ['*']),
  auditor: builtIn('auditor', 'reads the audit log, access settings and metadata, but no content', AUDIT),
}
export type BuiltInRole = keyof typeof BUILT_IN_ROLES

export function isBuiltInRole(name: string): name is BuiltInRole {
  return Object.hasOwn(BUILT_IN_ROLES, name)
}
