import type { Action } from '../actions.ts'
import type { OrgPolicy, Team } from '../organization/document.ts'
import { isOwners, ownersId } from '../organization/owners.ts'
import { bind } from '../organization/transitions.ts'
import { type Binding, grantsOf } from '../policy/bindings.ts'
import { compile } from '../policy/compile.ts'
import {
  isOrganizationRole,
  organizationRole,
  readOrganizationRole,
  readWorkspaceRole,
} from './composed-roles.ts'
import { readProjectRole } from './composed-roles.ts'
import {
  ORGANIZATION_PERMISSIONS,
  ORGANIZATION_PERMISSION_NAMES,
  type OrganizationPermissions,
  organizationPermissionsBy,
  withPermissions,
} from './organization-access.ts'
import { leastOf } from './permission-set.ts'
import {
  PROJECT_LEVELS,
  PROJECT_PERMISSIONS,
  type ProjectLevel,
  type ProjectPermissions,
  projectLevelOfRole,
} from './project-access.ts'
import {
  WORKSPACE_LEVELS,
  type WorkspaceLevel,
  type WorkspacePermissions,
  levelOfRole,
  permissionsBy,
} from './workspace-access.ts'

/** What teams have in Terraform Cloud's words, and how it changes. All of it is bindings of roles to teams. Pure. */

/** A team and what it has access to: a unit by its id, or a project. */
export type AccessTo =
  | { readonly team: string; readonly unit: string }
  | { readonly team: string; readonly project: string }

const UNIT_ID = /^ws-[0-9A-Za-z]{16}$/

function accessOf({ to, units, project }: Binding): AccessTo | undefined {
  if (!to.startsWith('team:')) return undefined
  const team = to.slice('team:'.length)
  if (project !== undefined) return units === undefined ? { team, project } : undefined
  const [unit, ...others] = units ?? []
  return unit !== undefined && others.length === 0 && UNIT_ID.test(unit) ? { team, unit } : undefined
}

function isTo(binding: Binding, wanted: AccessTo): boolean {
  const found = accessOf(binding)
  if (found === undefined || found.team !== wanted.team) return false
  return 'unit' in wanted
    ? 'unit' in found && found.unit === wanted.unit
    : 'project' in found && found.project === wanted.project
}

/** Each team and unit, or team and project, once. Roles that a team has by a pattern are not among them. */
export function accessesIn({ bindings }: Pick<OrgPolicy, 'bindings'>): readonly AccessTo[] {
  const found = bindings.flatMap((binding) => accessOf(binding) ?? [])
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()]
}

export function hasAccess({ bindings }: Pick<OrgPolicy, 'bindings'>, wanted: AccessTo): boolean {
  return bindings.some((one) => isTo(one, wanted))
}

/** Instead of what the team had there. */
export function setAccess<T extends OrgPolicy>(policy: T, access: AccessTo, role: string): T {
  const { team, ...where } = access
  const narrowed = 'unit' in where ? { units: [where.unit] } : where
  return bind(removeAccess(policy, access), { role, to: `team:${team}`, ...narrowed })
}

export function removeAccess<T extends OrgPolicy>(policy: T, access: AccessTo): T {
  return { ...policy, bindings: policy.bindings.filter((one) => !isTo(one, access)) }
}

export interface WorkspaceAccessView {
  readonly access: WorkspaceLevel | 'custom'
  readonly permissions: WorkspacePermissions
}

export function workspaceAccess(policy: OrgPolicy, access: AccessTo): WorkspaceAccessView {
  const bindings = policy.bindings.filter((one) => isTo(one, access))
  const [only, ...others] = bindings
  if (only !== undefined && others.length === 0) {
    const level = levelOfRole(only.role)
    if (level !== undefined) return { access: level, permissions: WORKSPACE_LEVELS[level].permissions }
    const permissions = readWorkspaceRole(only.role)
    if (permissions !== undefined) return { access: 'custom', permissions }
  }
  return { access: 'custom', permissions: permissionsBy(mayIn(policy, bindings)) }
}

export interface ProjectAccessView {
  readonly access: ProjectLevel | 'custom'
  readonly permissions: ProjectPermissions
}

export function projectAccess(policy: OrgPolicy, access: AccessTo): ProjectAccessView {
  const bindings = policy.bindings.filter((one) => isTo(one, access))
  const [only, ...others] = bindings
  if (only !== undefined && others.length === 0) {
    const level = projectLevelOfRole(only.role)
    if (level !== undefined) return { access: level, permissions: PROJECT_LEVELS[level].permissions }
    const permissions = readProjectRole(only.role)
    if (permissions !== undefined) return { access: 'custom', permissions }
  }
  const { 'workspace-locking': locking, ...rest } = permissionsBy(mayIn(policy, bindings))
  return { access: 'custom', permissions: { ...leastOf(PROJECT_PERMISSIONS), ...rest, locking } }
}

/** What these bindings allow where they hold. */
function mayIn(policy: OrgPolicy, bindings: readonly Binding[]): (action: Action) => boolean {
  const everywhere = bindings.map(({ role, to }) => ({ role, to }))
  const subjects = [...new Set(everywhere.map(({ to }) => to))].map((to) => ({ to, through: to }))
  const own = compile(grantsOf({ roles: policy.roles, bindings: everywhere }, subjects))
  return (action) => own.allows(action, undefined)
}

export function organizationAccess(policy: OrgPolicy, team: Pick<Team, 'id'>): OrganizationPermissions {
  const least = leastOf(ORGANIZATION_PERMISSIONS)
  if (isOwners(policy, team)) return withPermissions(least, ORGANIZATION_PERMISSION_NAMES)
  const bindings = policy.bindings.filter((one) => isOfWhole(one, team))
  const others = bindings.filter(({ role }) => !isOrganizationRole(role))
  const composed = bindings.flatMap(({ role }) => readOrganizationRole(role) ?? [])
  return [organizationPermissionsBy(mayIn(policy, others)), ...composed].reduce(
    (all, one) =>
      withPermissions(
        all,
        ORGANIZATION_PERMISSION_NAMES.filter((name) => one[name]),
      ),
    least,
  )
}

/** Roles that the team has otherwise, such as `operator` for all units, stay. */
export function setOrganizationAccess<T extends OrgPolicy>(
  policy: T,
  team: Pick<Team, 'id'>,
  permissions: OrganizationPermissions,
): T {
  const bindings = policy.bindings.filter((one) => !isOfWhole(one, team) || !isOrganizationRole(one.role))
  return bind({ ...policy, bindings }, { role: organizationRole(permissions), to: `team:${team.id}` })
}

function isOfWhole({ to, units, project }: Binding, { id }: Pick<Team, 'id'>): boolean {
  return to === `team:${id}` && units === undefined && project === undefined
}

/** Whether somebody can change who may do what, by the roles that are bound to them: `team:…`, `user:…`. */
export function canGiveAccess(policy: OrgPolicy, to: string): boolean {
  if (to === `team:${ownersId(policy.org)}`) return true
  const may = mayIn(
    policy,
    policy.bindings.filter((one) => one.to === to),
  )
  return (['role:manage', 'token:manage', 'org:delete'] as const).some(may)
}
