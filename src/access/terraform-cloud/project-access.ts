import type { Action } from '../actions.ts'
import type { BuiltInRole } from '../policy/built-in-roles.ts'
import { MANAGE_UNITS } from './organization-access.ts'
import { type PermissionSpec, type PermissionsOf, leastOf } from './permission-set.ts'
import { WORKSPACE_LEVELS, type WorkspacePermissions, workspaceActions } from './workspace-access.ts'

/** `project-access`: about the project itself. */
export const OF_PROJECT = {
  settings: ['read', 'update', 'delete'],
  teams: ['none', 'read', 'manage'],
  'variable-sets': ['none', 'read', 'write'],
} as const satisfies PermissionSpec

/** `workspace-access`: about every workspace of the project. */
export const OF_ITS_WORKSPACES = {
  runs: ['read', 'plan', 'apply'],
  'sentinel-mocks': ['none', 'read'],
  'state-versions': ['none', 'read-outputs', 'read', 'write'],
  variables: ['none', 'read', 'write'],
  create: 'flag',
  locking: 'flag',
  move: 'flag',
  delete: 'flag',
  'run-tasks': 'flag',
  'policy-overrides': 'flag',
} as const satisfies PermissionSpec

export const PROJECT_PERMISSIONS = { ...OF_PROJECT, ...OF_ITS_WORKSPACES } as const
export type ProjectPermissions = PermissionsOf<typeof PROJECT_PERMISSIONS>
export type ProjectLevel = 'read' | 'write' | 'maintain' | 'admin'

/** The one level that is not a built-in role. */
export const MAINTAIN = 'project:maintain'

function levelWith(
  { 'workspace-locking': locking, ...rest }: WorkspacePermissions,
  more: Partial<ProjectPermissions> = {},
): ProjectPermissions {
  return { ...leastOf(PROJECT_PERMISSIONS), ...rest, locking, ...more }
}

const CONTROL = { create: true, move: true, delete: true, 'run-tasks': true } as const
const WRITE = WORKSPACE_LEVELS.write.permissions

export const PROJECT_LEVELS: Readonly<
  Record<
    ProjectLevel,
    { readonly role: BuiltInRole | typeof MAINTAIN; readonly permissions: ProjectPermissions }
  >
> = {
  read: { role: 'reader', permissions: levelWith(WORKSPACE_LEVELS.read.permissions) },
  write: { role: 'operator', permissions: levelWith(WRITE) },
  maintain: { role: MAINTAIN, permissions: levelWith(WRITE, CONTROL) },
  admin: {
    role: 'admin',
    permissions: levelWith(WRITE, {
      ...CONTROL,
      'policy-overrides': true,
      settings: 'delete',
      'variable-sets': 'write',
    }),
  },
}

export function projectLevelOfRole(role: string): ProjectLevel | undefined {
  for (const level of ['read', 'write', 'maintain', 'admin'] as const)
    if (PROJECT_LEVELS[level].role === role) return level
  return undefined
}

export const MAINTAIN_ACTIONS: readonly Action[] = [...MANAGE_UNITS, 'policy:manage', 'notification:manage']

const SETTINGS = { read: [], update: ['org:admin'], delete: ['org:admin'] } as const
const TEAMS = { none: [], read: ['access:read'], manage: ['access:read', 'role:manage'] } as const

/** What the permissions allow on a project and its units. `variable-sets` and two others have no action of their own. */
export function projectActions(permissions: ProjectPermissions): readonly Action[] {
  const { locking, create, move, delete: isDeleting, settings, teams } = permissions
  return [
    ...workspaceActions({ ...permissions, 'workspace-locking': locking }),
    ...SETTINGS[settings],
    ...TEAMS[teams],
    ...(create ? (['unit:create'] as const) : []),
    ...(move ? (['unit:update', 'unit:admin'] as const) : []),
    ...(isDeleting ? (['unit:delete', 'unit:restore', 'state:delete'] as const) : []),
  ]
}
