import type { Action, Caller } from '../../../../access/index.ts'
import type { Project } from '../../../../projects/index.ts'
import { type ResourceObject, one, time } from '../kit/json-api.ts'
import { permissionsOf } from '../workspaces/rights.ts'

const PERMISSIONS = {
  'can-read': 'org:read',
  'can-update': 'org:admin',
  'can-destroy': 'org:admin',
  'can-create-workspace': 'unit:create',
  'can-move-workspace': 'unit:update',
  'can-manage-tags': 'org:admin',
  'can-manage-teams': 'role:manage',
  'can-read-teams': 'access:read',
} as const satisfies Readonly<Record<string, Action>>

export function viewProject(
  project: Project,
  { orgName, caller }: { readonly orgName: string; readonly caller: Caller },
): ResourceObject {
  return {
    id: project.id,
    type: 'projects',
    attributes: {
      name: project.name,
      description: project.description,
      'created-at': time(project.createdAt),
      'is-unified': false,
      'default-execution-mode': project.executionMode ?? null,
      'auto-destroy-activity-duration': project.autoDestroyActivityDuration ?? null,
      'setting-overwrites': {
        'default-execution-mode': project.executionMode !== undefined,
        'default-agent-pool': project.agentPool !== undefined,
      },
      permissions: permissionsOf(caller, PERMISSIONS),
    },
    relationships: {
      organization: one('organizations', orgName),
      'default-agent-pool': one('agent-pools', project.agentPool),
    },
    links: { self: `/api/v2/projects/${project.id}` },
  }
}
