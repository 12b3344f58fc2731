import type { Action } from '../actions.ts'
import type { BuiltInRole } from '../policy/built-in-roles.ts'
import { type PermissionSpec, type PermissionsOf, leastOf } from './permission-set.ts'

/** The single permissions of a team for a workspace (`team-workspaces`), in the words of Terraform Cloud's API. */
export const WORKSPACE_PERMISSIONS = {
  runs: ['read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  'state-versions': ['none', 'read-outputs', 'read', 'write'],
  'sentinel-mocks': ['none', 'read'],
  'workspace-locking': 'flag',
  'run-tasks': 'flag',
  'policy-overrides': 'flag',
} as const satisfies PermissionSpec
export type WorkspacePermissions = PermissionsOf<typeof WORKSPACE_PERMISSIONS>

export type WorkspaceLevel = 'read' | 'plan' | 'write' | 'admin'

const READ: WorkspacePermissions = {
  ...leastOf(WORKSPACE_PERMISSIONS),
  variables: 'read',
  'state-versions': 'read',
}
const WRITE: WorkspacePermissions = {
  ...READ,
  runs: 'apply',
  variables: 'write',
  'state-versions': 'write',
  'sentinel-mocks': 'read',
  'workspace-locking': true,
}

/** Clients expect the single permissions of a level in every answer. */
export const WORKSPACE_LEVELS: Readonly<
  Record<WorkspaceLevel, { readonly role: BuiltInRole; readonly permissions: WorkspacePermissions }>
> = {
  read: { role: 'reader', permissions: READ },
  plan: { role: 'planner', permissions: { ...READ, runs: 'plan' } },
  write: { role: 'operator', permissions: WRITE },
  admin: { role: 'admin', permissions: { ...WRITE, 'run-tasks': true, 'policy-overrides': true } },
}

export function levelOfRole(role: string): WorkspaceLevel | undefined {
  for (const level of ['read', 'plan', 'write', 'admin'] as const)
    if (WORKSPACE_LEVELS[level].role === role) return level
  return undefined
}

const SEE: readonly Action[] = [
  'unit:read',
  'graph:read',
  'rollout:read',
  'events:read',
  'policy:read',
  'notification:read',
]
/** A local plan locks the unit and reads on behalf of it. */
const PLAN: readonly Action[] = [...SEE, 'run:plan', 'lock', 'reads:record']
const APPLY: readonly Action[] = [
  ...PLAN,
  'run:apply',
  'run:approve',
  'run:token',
  'graph:write',
  'rollout:start',
  'rollout:work',
  'rollout:control',
]
const OUTPUTS: readonly Action[] = ['outputs:read', 'outputs:read-sensitive']
const STATES: readonly Action[] = [...OUTPUTS, 'versions:read', 'state:read', 'versions:read-state']

const RUNS = { read: SEE, plan: PLAN, apply: APPLY } as const
const VARIABLES = { none: [], read: ['vars:read'], write: ['vars:read', 'vars:write'] } as const
const STATE_VERSIONS = {
  none: [],
  'read-outputs': OUTPUTS,
  read: STATES,
  write: [...STATES, 'state:write', 'state:rollback'],
} as const

/** What the permissions allow on the units that they are for. `sentinel-mocks` and `policy-overrides` have no action yet. */
export function workspaceActions(permissions: WorkspacePermissions): readonly Action[] {
  return [
    ...RUNS[permissions.runs],
    ...VARIABLES[permissions.variables],
    ...STATE_VERSIONS[permissions['state-versions']],
    ...(permissions['workspace-locking'] ? (['lock'] as const) : []),
    ...(permissions['run-tasks'] ? (['policy:manage'] as const) : []),
  ]
}

/** The other way round, for roles that were not composed of these permissions: what they allow at least. */
export function permissionsBy(may: (action: Action) => boolean): WorkspacePermissions {
  const most = <T extends string>(values: Readonly<Record<T, readonly Action[]>>) =>
    (Object.entries(values) as [T, readonly Action[]][]).findLast(([, actions]) => actions.every(may))?.[0]
  const runs = most(RUNS) ?? 'read'
  return {
    ...leastOf(WORKSPACE_PERMISSIONS),
    runs,
    variables: most(VARIABLES) ?? 'none',
    'state-versions': most(STATE_VERSIONS) ?? 'none',
    // Planning includes it.
    'workspace-locking': may('lock') && runs !== 'plan',
    'run-tasks': may('policy:manage'),
  }
}
