import type { BuiltInRole } from './built-in-roles.ts'

/** Access of a team to a workspace, in the words of Terraform Cloud's API (`team-workspaces`). */
export interface WorkspaceAccess {
  readonly access: 'read' | 'plan' | 'write' | 'admin'
  readonly runs: 'read' | 'plan' | 'apply'
  readonly variables: 'none' | 'read' | 'write'
  readonly 'state-versions': 'none' | 'read-outputs' | 'read' | 'write'
  readonly 'sentinel-mocks': 'none' | 'read'
  readonly 'workspace-locking': boolean
  readonly 'run-tasks': boolean
}

const READ = {
  access: 'read',
  runs: 'read',
  variables: 'read',
  'state-versions': 'read',
  'sentinel-mocks': 'none',
  'workspace-locking': false,
  'run-tasks': false,
} as const satisfies WorkspaceAccess

const WRITE = {
  access: 'write',
  runs: 'apply',
  variables: 'write',
  'state-versions': 'write',
  'sentinel-mocks': 'read',
  'workspace-locking': true,
  'run-tasks': false,
} as const satisfies WorkspaceAccess

/**
 * What each built-in role is in Terraform Cloud. Four are levels of access to workspaces; clients expect the single
 * permissions of a level in every answer. The other two exist once for an organization.
 */
export const TERRAFORM_CLOUD_ACCESS = {
  reader: READ,
  planner: { ...READ, access: 'plan', runs: 'plan' },
  operator: WRITE,
  admin: { ...WRITE, access: 'admin', 'run-tasks': true },
  owner: 'owners',
  auditor: 'audit-trails',
} as const satisfies Readonly<Record<BuiltInRole, WorkspaceAccess | 'owners' | 'audit-trails'>>

/** The permissions for the organization (`organization-access`) of a team that has the role for all units. */
export const TERRAFORM_CLOUD_ORGANIZATION_ACCESS = {
  reader: ['read-workspaces', 'read-projects'],
  planner: ['read-workspaces', 'read-projects'],
  operator: ['read-workspaces', 'read-projects'],
  admin: ['read-workspaces', 'read-projects', 'manage-workspaces', 'manage-projects'],
  owner: [
    'read-workspaces',
    'read-projects',
    'manage-workspaces',
    'manage-projects',
    'manage-membership',
    'manage-teams',
    'manage-organization-access',
    'access-secret-teams',
  ],
  auditor: [],
} as const satisfies Readonly<Record<BuiltInRole, readonly string[]>>

/** The role for a level of access to a workspace, or undefined for one that Terraform Cloud composes itself. */
export function roleOfLevel(level: string): BuiltInRole | undefined {
  for (const role of ['reader', 'planner', 'operator', 'admin'] as const)
    if (TERRAFORM_CLOUD_ACCESS[role].access === level) return role
  return undefined
}
