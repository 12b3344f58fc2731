import type { Action, Caller } from '../../../../access/index.ts'
import {
  type OrganizationSettings,
  type Project,
  type WorkspaceSettings,
  defaultProjectId,
  settingsOf,
} from '../../../../projects/index.ts'
import { type UnitView, flatName, versionStart } from '../../../../state/index.ts'
import { idBelow } from '../ids.ts'
import { kebabKeys } from '../kit/case.ts'
import type { TfcServices } from '../kit/define.ts'
import { type Identifier, type ResourceObject, many, one } from '../kit/json-api.ts'
import { tagId } from '../tags/tag-id.ts'
import { permissionsOf } from './rights.ts'

const PERMISSIONS = {
  'can-update': 'unit:update',
  'can-destroy': 'unit:delete',
  'can-force-delete': 'state:force',
  'can-lock': 'lock',
  'can-unlock': 'lock',
  'can-force-unlock': 'unlock-others',
  'can-queue-run': 'run:plan',
  'can-queue-apply': 'run:apply',
  'can-queue-destroy': 'run:apply',
  'can-read-settings': 'unit:read',
  'can-read-variable': 'vars:read',
  'can-update-variable': 'vars:write',
  'can-read-state-versions': 'versions:read-state',
  'can-read-state-outputs': 'outputs:read',
  'can-create-state-versions': 'state:write',
  'can-manage-tags': 'unit:update',
  'can-manage-run-tasks': 'policy:manage',
} as const satisfies Readonly<Record<string, Action>>

/** Before anybody changes them. Clients compare what they read with what they sent, so each default is a promise. */
const DEFAULTS = {
  terraformVersion: 'latest',
  workingDirectory: '',
  autoApply: false,
  autoApplyRunTrigger: false,
  allowDestroyPlan: true,
  assessmentsEnabled: false,
  autoDestroyAt: null,
  autoDestroyActivityDuration: null,
  inheritsProjectAutoDestroy: true,
  fileTriggersEnabled: true,
  globalRemoteState: false,
  projectRemoteState: false,
  queueAllRuns: false,
  speculativeEnabled: true,
  structuredRunOutputEnabled: false,
  triggerPrefixes: [],
  triggerPatterns: [],
  sourceName: null,
  sourceUrl: null,
} as const

/** There are no remote runs, so code runs where the command is given unless somebody says otherwise. */
export const DEFAULT_EXECUTION_MODE = 'local'

/** What the workspaces of an organization are shown with. */
export interface WorkspaceViewer {
  readonly org: string
  readonly orgName: string
  readonly projects: ReadonlyMap<string, Project>
  readonly settings: OrganizationSettings
  readonly caller: Caller
}

export async function viewerOf(
  { control, projects, organizationSettings }: TfcServices,
  org: string,
  caller: Caller,
): Promise<WorkspaceViewer> {
  const [all, settings] = await Promise.all([projects.fresh(org), organizationSettings.fresh(org)])
  return {
    org,
    orgName: control.orgNames.nameOf(org),
    projects: new Map(all.map((project) => [project.id, project])),
    settings,
    caller,
  }
}

/** The workspace that a unit is. */
export function viewWorkspace(unit: UnitView, viewer: WorkspaceViewer): ResourceObject {
  const { orgName, caller } = viewer
  const settings = settingsOf(unit)
  const project = projectOf(settings, viewer)
  const mode = executionMode(settings, project, viewer.settings)
  const name = flatName(unit.name)
  const { project: _, agentPool, sshKey, remoteStateConsumers: _consumers, vcsRepo, ...stored } = settings
  const pool = agentPool ?? project?.agentPool ?? viewer.settings.defaultAgentPool
  return {
    id: unit.id,
    type: 'workspaces',
    attributes: {
      name,
      description: unit.description,
      environment: 'default',
      'created-at': unit.createdAt,
      'updated-at': unit.changedAt,
      'latest-change-at': unit.state?.at ?? unit.createdAt,
      locked: unit.lock !== null,
      'locked-reason': unit.lock?.reason ?? '',
      source: 'tfe-api',
      ...kebabKeys({ ...DEFAULTS, ...stored }),
      'execution-mode': mode,
      operations: mode !== 'local',
      'vcs-repo': viewVcsRepo(vcsRepo),
      'vcs-repo-identifier': vcsRepo?.identifier ?? null,
      'setting-overwrites': {
        'execution-mode': settings.executionMode !== undefined,
        'agent-pool': agentPool !== undefined,
      },
      'tag-names': tagNames(unit.labels),
      'resource-count': unit.state?.resources ?? 0,
      permissions: permissionsOf(caller, PERMISSIONS, unit),
      actions: { 'is-destroyable': true },
      'can-queue-destroy-plan': mode !== 'local',
      'apply-duration-average': 0,
      'plan-duration-average': 0,
      'policy-check-failures': 0,
      'run-failures': 0,
      'workspace-kpis-runs-count': 0,
    },
    relationships: {
      organization: one('organizations', orgName),
      project: one('projects', settings.project ?? defaultProjectId(viewer.org)),
      'agent-pool': one('agent-pools', mode === 'agent' ? pool : null),
      'ssh-key': one('ssh-keys', sshKey),
      'current-run': one('runs', null),
      'latest-run': one('runs', null),
      'current-state-version': one(
        'state-versions',
        unit.state === null ? null : stateVersionId(unit, unit.state),
      ),
      'current-configuration-version': one('configuration-versions', null),
      'locked-by': { data: lockHolder(unit) },
      tags: many(
        'tags',
        tagNames(unit.labels).map((tag) => tagId(viewer.org, tag)),
      ),
      readme: one('workspace-readme', null),
      'data-retention-policy': one('data-retention-policies', null),
      'remote-state-consumers': {
        data: [],
        links: { related: `/api/v2/workspaces/${unit.id}/relationships/remote-state-consumers` },
      },
    },
    links: {
      self: `/api/v2/organizations/${orgName}/workspaces/${name}`,
      'self-html': `/app/${orgName}/workspaces/${name}`,
    },
  }
}

export function projectOf(settings: WorkspaceSettings, viewer: WorkspaceViewer): Project | undefined {
  return viewer.projects.get(settings.project ?? defaultProjectId(viewer.org))
}

function executionMode(
  settings: WorkspaceSettings,
  project: Project | undefined,
  { defaultExecutionMode }: OrganizationSettings,
): string {
  return settings.executionMode ?? project?.executionMode ?? defaultExecutionMode ?? DEFAULT_EXECUTION_MODE
}

/** Leads to the unit, and to the version by how its id begins. */
export function stateVersionId(unit: Pick<UnitView, 'id'>, version: { readonly id: string }): string {
  return idBelow('sv', unit.id, versionStart(version.id))
}

/** A tag is a label without a value. */
export function tagNames(labels: UnitView['labels']): readonly string[] {
  return Object.keys(labels)
    .filter((key) => labels[key] === '')
    .toSorted()
}

const HOLDERS: Readonly<Record<string, string>> = { team: 'teams', run: 'runs' }

/** The holder of the lock: a user, unless it is a team or a run. */
export function lockHolder({ lock }: UnitView): Identifier | null {
  if (lock === null) return null
  const [kind = '', ...rest] = lock.by.split(':')
  return { type: HOLDERS[kind] ?? 'users', id: rest.join(':').replaceAll('/', '-') || lock.by }
}

function viewVcsRepo(repo: WorkspaceSettings['vcsRepo']): Record<string, unknown> | null {
  if (repo === undefined) return null
  return {
    'ingress-submodules': false,
    branch: '',
    ...kebabKeys(repo),
    'display-identifier': repo.identifier,
  }
}
