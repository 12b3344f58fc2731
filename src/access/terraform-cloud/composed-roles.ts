import type { Role } from '../policy/rules.ts'
import { ORGANIZATION_PERMISSIONS, organizationRules } from './organization-access.ts'
import { readText, textOf } from './permission-set.ts'
import { MAINTAIN, MAINTAIN_ACTIONS, PROJECT_PERMISSIONS, projectActions } from './project-access.ts'
import { WORKSPACE_PERMISSIONS, workspaceActions } from './workspace-access.ts'
import type { OrganizationPermissions } from './organization-access.ts'
import type { ProjectPermissions } from './project-access.ts'
import type { WorkspacePermissions } from './workspace-access.ts'

/**
 * Roles that are composed of Terraform Cloud's permissions. Their names say what they are composed of, and nothing else
 * is stored: `workspace:runs=plan,variables=read`. So what an answer says about a team and what is decided for its
 * members come from the same text. No role that people make can have such a name.
 */
export const workspaceRole = (permissions: WorkspacePermissions) =>
  textOf('workspace', WORKSPACE_PERMISSIONS, permissions)
export const organizationRole = (permissions: OrganizationPermissions) =>
  textOf('organization', ORGANIZATION_PERMISSIONS, permissions)
export const projectRole = (permissions: ProjectPermissions) =>
  textOf('project', PROJECT_PERMISSIONS, permissions)

export const readWorkspaceRole = (name: string) => readText('workspace', WORKSPACE_PERMISSIONS, name)
export const readOrganizationRole = (name: string) => readText('organization', ORGANIZATION_PERMISSIONS, name)
export const readProjectRole = (name: string) => readText('project', PROJECT_PERMISSIONS, name)

export const isOrganizationRole = (name: string) => name.startsWith('organization:')

/** Undefined: it is not the name of a composed role. */
export function composedRole(name: string): Role | undefined {
  if (!name.includes(':')) return undefined
  let found = known.get(name)
  if (found === undefined && (found = made(name)) !== undefined && known.size < MOST_KNOWN)
    known.set(name, found)
  return found
}

/** Decisions ask for the same few again and again. */
const known = new Map<string, Role>()
const MOST_KNOWN = 10_000

function made(name: string): Role | undefined {
  const workspace = readWorkspaceRole(name)
  if (workspace !== undefined) return roleOf(name, workspaceActions(workspace))
  const organization = readOrganizationRole(name)
  if (organization !== undefined)
    return { name, description: DESCRIPTION, rules: organizationRules(organization) }
  if (name === MAINTAIN) return roleOf(name, MAINTAIN_ACTIONS)
  const project = readProjectRole(name)
  return project && roleOf(name, projectActions(project))
}

const DESCRIPTION = 'composed of permissions of Terraform Cloud'

function roleOf(name: string, actions: readonly string[]): Role {
  return { name, description: DESCRIPTION, rules: [{ effect: 'allow', actions: [...new Set(actions)] }] }
}
