import { type Caller, teamsIn } from '../../../../../access/index.ts'
import { TacoError } from '../../../../../base/errors.ts'
import { maskUrl } from '../../../../../base/text/mask-url.ts'
import type { Configuration } from '../../../../../notifications/index.ts'
import type { UnitView } from '../../../../../state/index.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import type { OrgView } from '../../shell/view.ts'

/** A notification as a person may see it. */
export interface Shown {
  /** Its URL, which may be a secret, is masked for those who may not change the notification. */
  readonly configuration: Configuration
  readonly mayManage: boolean
  readonly about: {
    /** In words. */
    readonly name: string
    /** As the unit, project or team is called. */
    readonly of?: string | undefined
    readonly href?: string
  }
}

interface Request {
  readonly params: { readonly org: string }
  readonly view: OrgView
  readonly caller: Caller
}

/**
 * Those that the person may see, oldest first. A right on one unit is enough for the notifications of that unit; all
 * others take a right on the organization.
 */
export async function visibleNotifications(
  request: Request,
  services: WebServices,
): Promise<readonly Shown[]> {
  return shownOf(await services.notifications.list(request.params.org), request, services)
}

/** NOT_FOUND if there is none, or the person may not see it. */
export async function visibleNotification(
  request: Request & { readonly params: { readonly notification: string } },
  services: WebServices,
): Promise<Shown> {
  const { org, notification } = request.params
  const [shown] = await shownOf([await services.notifications.get(org, notification)], request, services)
  if (shown === undefined)
    throw new TacoError('NOT_FOUND', `There is no notification ${notification}.`, {
      facts: { id: notification },
    })
  return shown
}

export function refuseUnlessManaged({ mayManage }: Pick<Shown, 'mayManage'>): void {
  if (!mayManage)
    throw new TacoError('FORBIDDEN', 'You have no permission for notification:manage here.', {
      facts: { action: 'notification:manage' },
      hint: 'Ask an administrator of the organization.',
    })
}

async function shownOf(
  all: readonly Configuration[],
  { params: { org }, view, caller }: Request,
  services: WebServices,
): Promise<readonly Shown[]> {
  const idsOf = (kind: string) =>
    new Set(all.flatMap(({ scope }) => (scope.kind === kind && scope.id !== undefined ? [scope.id] : [])))
  const unitIds = idsOf('unit')
  const [units, projects, teams] = await Promise.all([
    unitIds.size === 0 ? [] : unitsWith(unitIds, org, caller, services),
    idsOf('project').size === 0 ? [] : services.projects.fresh(org),
    idsOf('team').size === 0 ? [] : services.orgAccess.fresh(org),
  ])
  const unitOf = new Map(units.map((unit) => [unit.id, unit]))
  const nameOf = new Map(
    [...projects, ...('length' in teams ? [] : teamsIn(teams))].map(({ id, name }) => [id, name]),
  )

  return all.flatMap((configuration): Shown[] => {
    const { scope, url } = configuration
    const unit = scope.kind === 'unit' ? unitOf.get(scope.id ?? '') : undefined
    if (!view.may('notification:read', unit)) return []
    // A unit that is deleted or hidden: only those who see everything hear of it.
    if (scope.kind === 'unit' && unit === undefined && caller.sight?.seesAll === false) return []
    const mayManage = view.may('notification:manage', unit)
    const masked = mayManage || url === undefined ? {} : { url: maskUrl(url) }
    return [{ configuration: { ...configuration, ...masked }, mayManage, about: aboutOf() }]

    function aboutOf(): Shown['about'] {
      if (unit !== undefined)
        return { name: unit.name, of: unit.name, href: unitPath(view.org.base, unit.name) }
      if (scope.kind === 'organization') return { name: 'the whole organization' }
      if (scope.kind === 'unit') return { name: 'a deleted unit' }
      const of = nameOf.get(scope.id ?? '')
      return { name: `${scope.kind} ${of ?? scope.id ?? ''}`, of }
    }
  })
}

async function unitsWith(
  ids: ReadonlySet<string>,
  org: string,
  caller: Caller,
  { control }: WebServices,
): Promise<readonly UnitView[]> {
  const matches = ({ id }: UnitView) => ids.has(id)
  return (await control.units.select({ org, matches, skip: 0, limit: ids.size }, caller)).items
}
