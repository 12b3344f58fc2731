import type { Action } from '../actions.ts'
import { BUILT_IN_ROLES } from '../policy/built-in-roles.ts'
import type { Rule } from '../policy/rules.ts'
import { type PermissionSpec, type PermissionsOf, leastOf } from './permission-set.ts'

/** The permissions of a team for the whole organization (`organization-access`), in the words of Terraform Cloud's API. */
export const ORGANIZATION_PERMISSIONS = {
  'manage-policies': 'flag',
  'manage-policy-overrides': 'flag',
  'delegate-policy-overrides': 'flag',
  'manage-workspaces': 'flag',
  'manage-vcs-settings': 'flag',
  'manage-providers': 'flag',
  'manage-modules': 'flag',
  'manage-run-tasks': 'flag',
  'manage-projects': 'flag',
  'read-workspaces': 'flag',
  'read-projects': 'flag',
  'manage-membership': 'flag',
  'manage-teams': 'flag',
  'manage-organization-access': 'flag',
  'access-secret-teams': 'flag',
  'manage-agent-pools': 'flag',
} as const satisfies PermissionSpec
export type OrganizationPermission = keyof typeof ORGANIZATION_PERMISSIONS
export type OrganizationPermissions = PermissionsOf<typeof ORGANIZATION_PERMISSIONS>

export const ORGANIZATION_PERMISSION_NAMES = Object.keys(
  ORGANIZATION_PERMISSIONS,
) as readonly OrganizationPermission[]

const READ = BUILT_IN_ROLES.reader.rules[0].actions as readonly Action[]

/** About units; on the organization they would mean more than workspaces: policies, its registry, its settings. */
const OF_ORGANIZATION: ReadonlySet<Action> = new Set<Action>([
  'org:admin',
  'registry:publish',
  'policy:manage',
  'notification:manage',
])
const ADMINISTER = BUILT_IN_ROLES.admin.rules[0].actions as readonly Action[]
export const MANAGE_UNITS = ADMINISTER.filter((action) => !OF_ORGANIZATION.has(action))
const EVERY_UNIT = { units: ['**'] } as const

/** Every member of a team sees the organization. */
const MEMBER: readonly Action[] = ['org:read']

const ACTIONS: Readonly<Record<OrganizationPermission, readonly Action[]>> = {
  'read-workspaces': READ,
  'read-projects': READ,
  'manage-workspaces': MANAGE_UNITS,
  'manage-projects': [...MANAGE_UNITS, 'org:admin'],
  'manage-policies': ['policy:read', 'policy:manage'],
  // No policy is checked yet, so there is nothing to override.
  'manage-policy-overrides': ['policy:read'],
  'delegate-policy-overrides': ['policy:read'],
  'manage-vcs-settings': ['policy:read', 'policy:manage'],
  'manage-run-tasks': ['policy:read', 'policy:manage'],
  'manage-providers': ['registry:read', 'registry:publish'],
  'manage-modules': ['registry:read', 'registry:publish'],
  'manage-membership': ['access:read', 'member:manage'],
  'manage-teams': ['access:read', 'team:manage'],
  'manage-organization-access': ['access:read', 'role:manage'],
  'access-secret-teams': ['access:read'],
  'manage-agent-pools': ['org:admin'],
}

/** What a permission allows on the organization and on all its units. */
export function organizationRules(permissions: OrganizationPermissions): readonly Rule[] {
  const given = ORGANIZATION_PERMISSION_NAMES.filter((name) => permissions[name])
  const actions = [...new Set([...MEMBER, ...given.flatMap((name) => ACTIONS[name])])]
  const isManaging = permissions['manage-workspaces'] || permissions['manage-projects']
  return [
    { effect: 'allow', actions },
    ...(isManaging
      ? [{ effect: 'allow' as const, actions: ['policy:manage', 'notification:manage'], ...EVERY_UNIT }]
      : []),
  ]
}

/** The other way round, for roles that were not composed of these permissions. */
export function organizationPermissionsBy(may: (action: Action) => boolean): OrganizationPermissions {
  const found = ORGANIZATION_PERMISSION_NAMES.filter((name) =>
    name.endsWith('-policy-overrides') ? may('policy:manage') : ACTIONS[name].every(may),
  )
  return withPermissions(leastOf(ORGANIZATION_PERMISSIONS), found)
}

export function withPermissions(
  permissions: OrganizationPermissions,
  names: readonly OrganizationPermission[],
): OrganizationPermissions {
  return { ...permissions, ...Object.fromEntries(names.map((name) => [name, true])) }
}
