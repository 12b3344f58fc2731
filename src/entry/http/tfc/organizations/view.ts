import type { Action, Caller } from '../../../../access/index.ts'
import { type OrganizationSettings, defaultProjectId } from '../../../../projects/index.ts'
import type { OrgView } from '../../../../state/index.ts'
import { type ResourceObject, one } from '../kit/json-api.ts'
import { permissionsOf } from '../workspaces/rights.ts'
import { DEFAULT_EXECUTION_MODE } from '../workspaces/view.ts'

const PERMISSIONS = {
  'can-update': 'org:admin',
  'can-destroy': 'org:delete',
  'can-access-via-teams': 'org:read',
  'can-traverse': 'org:read',
  'can-create-team': 'team:manage',
  'can-create-workspace': 'unit:create',
  'can-create-project': 'org:admin',
  'can-manage-users': 'member:manage',
  'can-manage-run-tasks': 'policy:manage',
  'can-manage-auditing': 'audit:read',
  'can-manage-tags': 'org:admin',
  'can-update-api-token': 'token:manage',
  'can-update-oauth': 'policy:manage',
  'can-update-sentinel': 'policy:manage',
  'can-update-agent-pools': 'org:admin',
} as const satisfies Readonly<Record<string, Action>>

export function viewOrganization(
  org: OrgView,
  settings: OrganizationSettings,
  caller: Caller,
): ResourceObject {
  return {
    id: org.name,
    type: 'organizations',
    attributes: {
      name: org.name,
      'external-id': `org-${org.id}`,
      'created-at': org.createdAt,
      email: settings.email ?? '',
      'collaborator-auth-policy': settings.collaboratorAuthPolicy ?? 'password',
      'session-timeout': settings.sessionTimeout ?? null,
      'session-remember': settings.sessionRemember ?? null,
      'cost-estimation-enabled': settings.costEstimationEnabled ?? false,
      'assessments-enforced': settings.assessmentsEnforced ?? false,
      'owners-team-saml-role-id': settings.ownersTeamSamlRoleId ?? '',
      'send-passing-statuses-for-untriggered-speculative-plans':
        settings.sendPassingStatusesForUntriggeredSpeculativePlans ?? false,
      'aggregated-commit-status-enabled': settings.aggregatedCommitStatusEnabled ?? true,
      'speculative-plan-management-enabled': settings.speculativePlanManagementEnabled ?? true,
      'allow-force-delete-workspaces': settings.allowForceDeleteWorkspaces ?? false,
      'user-tokens-enabled': settings.userTokensEnabled ?? true,
      'default-execution-mode': settings.defaultExecutionMode ?? DEFAULT_EXECUTION_MODE,
      'is-unified': false,
      'saml-enabled': false,
      'stacks-enabled': false,
      'two-factor-conformant': true,
      'plan-expired': false,
      'managed-resource-count': 0,
      permissions: permissionsOf(caller, PERMISSIONS),
    },
    relationships: {
      'default-project': one('projects', defaultProjectId(org.id)),
      'default-agent-pool': one('agent-pools', settings.defaultAgentPool),
      'data-retention-policy': one('data-retention-policies', null),
    },
    links: { self: `/api/v2/organizations/${org.name}` },
  }
}
