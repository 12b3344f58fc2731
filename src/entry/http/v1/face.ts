import { TacoError, badRequest } from '../../../base/errors.ts'
import type { Exchange } from '../kit/exchange.ts'
import type { Face } from '../kit/routes/dispatch.ts'
import { createReadiness } from '../readiness.ts'
import { aboutRoutes } from './about.ts'
import { accessQuestionRoutes } from './access-questions.ts'
import { guardRoutes } from './access/guards.ts'
import { notificationRoutes } from './notifications.ts'
import { peopleRoutes } from './access/people.ts'
import { roleRoutes } from './access/roles.ts'
import { serverSettingsRoutes } from './access/settings.ts'
import { teamRoutes } from './access/teams.ts'
import { auditRoutes } from './audit.ts'
import { backendRoutes } from './backend/backend.ts'
import { type V1Services, v1Style } from './define.ts'
import { dependencyRoutes } from './graph/dependencies.ts'
import { documentRoutes } from './document.ts'
import { eventRoutes } from './events/events.ts'
import { graphRoutes } from './graph/graph.ts'
import { healthRoutes } from './health.ts'
import { inputRoutes } from './graph/inputs.ts'
import { lockRoutes } from './state/locks.ts'
import { orgRoutes } from './orgs.ts'
import { projectRoutes } from './projects.ts'
import { outputRoutes } from './state/outputs.ts'
import { rolloutRoutes } from './rollouts.ts'
import { runTokenRoutes } from './run-tokens.ts'
import { registryModuleRoutes } from './registry/modules.ts'
import { registryModuleVersionRoutes } from './registry/module-versions.ts'
import { registryProviderRoutes } from './registry/providers.ts'
import { stateRoutes } from './state/states.ts'
import { syncRoutes } from './graph/sync.ts'
import { tokenRoutes } from './tokens/tokens.ts'
import { workloadRoutes } from './tokens/workloads.ts'
import { unitRoutes } from './units.ts'
import { unitVariableRoutes } from './variables/unit-variables.ts'
import { variableSetRoutes } from './variables/variable-sets.ts'
import { upkeepRoutes } from './upkeep.ts'
import { versionRoutes } from './state/versions.ts'
import { whoamiRoutes } from './whoami.ts'

const described = [
  ...aboutRoutes,
  ...whoamiRoutes,
  ...orgRoutes,
  ...projectRoutes,
  ...teamRoutes,
  ...roleRoutes,
  ...guardRoutes,
  ...notificationRoutes,
  ...peopleRoutes,
  ...serverSettingsRoutes,
  ...unitRoutes,
  ...lockRoutes,
  ...versionRoutes,
  ...outputRoutes,
  ...graphRoutes,
  ...dependencyRoutes,
  ...inputRoutes,
  ...unitVariableRoutes,
  ...variableSetRoutes,
  ...syncRoutes,
  ...rolloutRoutes,
  ...runTokenRoutes,
  ...tokenRoutes,
  ...accessQuestionRoutes,
  ...workloadRoutes,
  ...registryModuleRoutes,
  ...registryModuleVersionRoutes,
  ...registryProviderRoutes,
  ...eventRoutes,
  ...auditRoutes,
  ...upkeepRoutes,
  ...healthRoutes,
  ...backendRoutes,
  ...stateRoutes,
]

/** Every route of the native API and of the http backend. */
export const v1Routes = [...described, ...documentRoutes(described)]

export function createV1Face(services: V1Services): Face {
  return {
    prefix: '/v1/',
    style: v1Style,
    routes: v1Routes,
    services: { ...services, ready: createReadiness(services.ready, services.clock) },
    missing,
  }
}

function missing({ method, path }: Exchange): TacoError {
  // To engines, 404 at the backend means that there is no state yet.
  if (path.startsWith('/v1/backend/')) {
    const field =
      path.slice('/v1/backend/'.length).startsWith('/') || path === '/v1/backend/' ? 'org' : 'unit'
    const noun = field === 'org' ? 'organization' : 'unit'
    return badRequest(field, `The path names no ${noun}.`, 'Use /v1/backend/<org>/<unit>.')
  }
  return new TacoError('NOT_FOUND', `There is no route for ${method} ${path}.`, {
    hint: '/v1/openapi.json lists all routes.',
  })
}
