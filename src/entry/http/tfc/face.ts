import { createStreamSlots } from '../kit/stream-slots.ts'
import type { HttpDeps } from '../deps.ts'
import type { Face } from '../kit/routes/dispatch.ts'
import type { Route } from '../kit/routes/route.ts'
import { createLocator } from './locator.ts'
import { type TfcServices, tfcStyle } from './kit/define.ts'
import { notFound } from './kit/errors.ts'
import { agentPoolRoutes } from './agent-pools/agent-pools.ts'
import { notificationRoutes } from './notifications/notifications.ts'
import { runTriggerRoutes } from './run-triggers/run-triggers.ts'
import { commentRoutes } from './comments/comments.ts'
import { oauthClientRoutes } from './oauth-clients/oauth-clients.ts'
import { oauthTokenRoutes } from './oauth-clients/oauth-tokens.ts'
import { policyRoutes } from './policies/policies.ts'
import { policySetParameterRoutes } from './policy-sets/parameters.ts'
import { policySetRoutes } from './policy-sets/policy-sets.ts'
import { policySetRelationRoutes } from './policy-sets/relations.ts'
import { policySetVersionRoutes } from './policy-sets/versions.ts'
import { runTaskRoutes } from './run-tasks/run-tasks.ts'
import { workspaceTaskRoutes } from './run-tasks/workspace-tasks.ts'
import { configurationVersionRoutes } from './configuration-versions/routes.ts'
import { registryRoutes } from './registry/routes.ts'
import { organizationRoutes } from './organizations/organizations.ts'
import { projectRoutes } from './projects/projects.ts'
import { pingRoutes } from './server/ping.ts'
import { createStateVersionRoutes } from './state-versions/create.ts'
import { accountRoutes } from './account/account.ts'
import { listStateVersionRoutes } from './state-versions/list.ts'
import { tagRoutes } from './tags/tags.ts'
import { workspaceRelationRoutes } from './workspaces/relations.ts'
import { workspaceResourceRoutes } from './workspaces/resources.ts'
import { workspaceTagRoutes } from './workspaces/tag-routes.ts'
import { outputRoutes } from './state-versions/outputs.ts'
import { readStateVersionRoutes } from './state-versions/read.ts'
import { workspaceLockRoutes } from './workspaces/locks.ts'
import { workspaceRoutes } from './workspaces/workspaces.ts'
import { sshKeyRoutes } from './ssh-keys/ssh-keys.ts'
import { variableRoutes } from './variables/routes.ts'
import { teamRoutes } from './teams/face.ts'
import { membershipRoutes } from './memberships/memberships.ts'
import { tokenRoutes } from './tokens/face.ts'
import { auditRoutes } from './audit/audit.ts'

/**
 * Every route of the Terraform Cloud API, by the folder it is in. Organizations are named, everything else has an id.
 * Each folder has a table of who is let in (`access.test.ts`).
 */
export const TFC_FAMILIES = {
  server: pingRoutes,
  organizations: organizationRoutes,
  projects: projectRoutes,
  workspaces: [
    ...workspaceRoutes,
    ...workspaceLockRoutes,
    ...workspaceTagRoutes,
    ...workspaceRelationRoutes,
    ...workspaceResourceRoutes,
  ],
  'state-versions': [
    ...createStateVersionRoutes,
    ...readStateVersionRoutes,
    ...listStateVersionRoutes,
    ...outputRoutes,
  ],
  account: accountRoutes,
  tags: tagRoutes,
  'agent-pools': agentPoolRoutes,
  notifications: notificationRoutes,
  'run-triggers': runTriggerRoutes,
  'ssh-keys': sshKeyRoutes,
  'configuration-versions': configurationVersionRoutes,
  variables: variableRoutes,
  registry: registryRoutes,
  teams: teamRoutes,
  memberships: membershipRoutes,
  tokens: tokenRoutes,
  audit: auditRoutes,
  policies: policyRoutes,
  'policy-sets': [
    ...policySetRoutes,
    ...policySetRelationRoutes,
    ...policySetParameterRoutes,
    ...policySetVersionRoutes,
  ],
  'run-tasks': [...runTaskRoutes, ...workspaceTaskRoutes],
  'oauth-clients': [...oauthClientRoutes, ...oauthTokenRoutes],
  comments: commentRoutes,
} as const satisfies Readonly<Record<string, readonly Route[]>>

/** The services that engines and providers look for, by the ids under which they do. */
export const TFC_OFFERS = {
  'tfe.v2': '/api/v2/',
  'tfe.v2.1': '/api/v2/',
  'tfe.v2.2': '/api/v2/',
  'state.v2': '/api/v2/',
  'modules.v1': '/api/registry/v1/modules/',
  'providers.v1': '/api/registry/v1/providers/',
} as const

export interface TfcOptions extends Pick<TfcServices, 'signer' | 'publicUrl'> {}

/** `cloud` blocks, the `remote` backend, the `tfe` provider and go-tfe talk to this. */
export function createTfcFace(deps: HttpDeps, options: TfcOptions): Face {
  return {
    prefix: '/api/',
    style: tfcStyle,
    routes: Object.values(TFC_FAMILIES).flat(),
    services: {
      ...deps,
      ...options,
      locator: createLocator(deps.control, deps.orgIds, deps.orgAccess, deps.clock),
      streams: createStreamSlots(deps.limits),
    } satisfies TfcServices,
    missing: notFound,
  }
}
