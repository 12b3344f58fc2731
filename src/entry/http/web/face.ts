import { TacoError } from '../../../base/errors.ts'
import type { Exchange } from '../kit/exchange.ts'
import type { Face } from '../kit/routes/dispatch.ts'
import { createMatcher } from '../kit/routes/match.ts'
import { authorizationRoutes } from './command-line/authorization.tsx'
import { deviceRoutes } from './command-line/device.tsx'
import { baseRoutes } from './shell/base.ts'
import { webStyle } from './define.ts'
import { refuseWhileDown } from './kept-pages.ts'
import type { WebServices } from './services.ts'
import { signInRoutes } from './sign-in/sign-in.tsx'
import { auditRoutes } from './audit/audit.tsx'
import { guardRoutes } from './people/guards/guards.tsx'
import { peopleRoutes } from './people/people.tsx'
import { settingsRoutes } from './settings/settings.ts'
import { variableRoutes } from './variables/variables.ts'
import { roleRoutes } from './people/roles/role.tsx'
import { teamRoutes } from './people/teams/team.tsx'
import { orgTokenRoutes } from './people/tokens/tokens.tsx'
import { workloadRoutes } from './people/workloads/workloads.tsx'
import { serverRoutes } from './server/server.ts'
import { registryRoutes } from './registry/registry.ts'
import { accountRoutes } from './account/account.ts'
import { identifyByRoot, identifyByRootOr, identifyBySession } from './session-cookie.ts'
import { estateRoutes } from './estate/estate.tsx'
import { workspaceRoutes } from './estate/workspaces.ts'
import { liveRoutes } from './live/live.ts'
import { organizationRoutes } from './organizations/organizations.tsx'
import { activityRoutes } from './activity/activity.tsx'
import { rolloutRoutes } from './rollouts/rollouts.ts'
import { searchRoutes } from './search/search.tsx'
import { startRoutes } from './start.tsx'
import { unitRoutes } from './unit/unit.tsx'

/**
 * Every page. Their addresses: `shell/addresses.ts`. One folder for each place of the navigation; what they are made of
 * is in `shell`.
 */
export const webRoutes = [
  ...baseRoutes,
  ...startRoutes,
  ...organizationRoutes,
  ...estateRoutes,
  ...searchRoutes,
  ...liveRoutes,
  ...rolloutRoutes,
  ...activityRoutes,
  ...unitRoutes,
  ...variableRoutes,
  ...registryRoutes,
  ...peopleRoutes,
  ...teamRoutes,
  ...roleRoutes,
  ...orgTokenRoutes,
  ...workloadRoutes,
  ...guardRoutes,
  ...auditRoutes,
  ...settingsRoutes,
  ...signInRoutes,
  ...accountRoutes,
  ...serverRoutes,
  ...authorizationRoutes,
  ...deviceRoutes,
  ...workspaceRoutes,
]

const pageAt = createMatcher(
  webRoutes.flatMap(({ method, pattern: path }) => (method === 'GET' ? [{ method, path }] : [])),
)

export function createWebFace(options: Omit<WebServices, 'hasPage'>): Face {
  const services: WebServices = { ...options, hasPage: (path) => pageAt(path) !== undefined }
  return {
    prefix: '/',
    style: webStyle,
    routes: webRoutes,
    services,
    isFor: wantsHtml,
    ...identification(services),
    admit: (x) => refuseWhileDown(x, services),
    missing: () => new TacoError('NOT_FOUND', 'There is no such page.'),
  }
}

function identification(services: WebServices): Pick<Face, 'identify'> {
  const { signIn, rootSessions } = services
  if (signIn !== undefined) {
    const bySession = identifyBySession(services, signIn)
    const identify =
      rootSessions === undefined ? bySession : identifyByRootOr(services, rootSessions, bySession)
    return {
      identify(x) {
        refuseWhileDown(x, services)
        return identify(x)
      },
    }
  }
  return rootSessions === undefined ? {} : { identify: identifyByRoot(services, rootSessions) }
}

/** Programs that ask for an address that does not exist get an answer for programs. */
function wantsHtml({ req }: Exchange): boolean {
  return /\btext\/html\b/i.test(req.headers.accept ?? '')
}
