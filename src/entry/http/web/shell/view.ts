import { type Action, type Principal, type UnitFacts, principalText } from '../../../../access/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { csrfToken } from '../csrf.ts'
import { knownUnits } from '../estate/last-known.ts'
import type { WebServices } from '../services.ts'
import { type Flash, takeFlash } from './flash.ts'
import { rememberOrg } from './last-org.ts'
import { accountNavigation, type Navigation, orgNavigation } from './navigation.ts'
import { isStranger } from './stranger.ts'
import { type Theme, themeOf } from './theme.ts'

/** What every page shows around its content. */
export interface View {
  readonly theme: Theme
  /** When the page is made: what `<Ago>` counts from. */
  readonly now: number
  /** For every form. */
  readonly csrf: string
  /** Of this page, with its query. */
  readonly path: string
  /** Undefined: before sign-in. */
  readonly person: string | undefined
  /** True: the person has an account, with tokens and sessions. */
  readonly hasSession: boolean
  /** True: the person signed in, and can sign out. */
  readonly canSignOut: boolean
  /** True: the person may change settings of the server and sign-in providers. */
  readonly isAdministrator: boolean
  /** Where the states are. Shown to those who are signed in. */
  readonly bucket: string
  readonly navigation: Navigation
  /** What the last form did. */
  readonly flash: Flash | undefined
  /** Undefined: the page belongs to no organization. */
  readonly org: Organization | undefined
  pathOf(asset: string): string
}

interface Organization {
  /** As it was called in the address. */
  readonly name: string
  /** `/app/<name>`: what the addresses of its pages begin with. */
  readonly base: string
}

export interface OrgView extends View {
  readonly org: Organization
  /** For what a page offers. A route checks it again. Without a unit: on the organization. */
  may(action: Action, unit?: UnitFacts): boolean
}

export function viewOf(x: Exchange, { cookies, assets, about, rootSessions, clock }: WebServices): View {
  const { principal } = x
  const person = isStranger(principal) ? undefined : nameOf(principal)
  const hasSession = x.session !== undefined
  return {
    theme: themeOf(x, cookies),
    now: clock.now(),
    csrf: csrfToken(x, cookies),
    path: x.query === '' ? x.path : `${x.path}?${x.query}`,
    person,
    hasSession,
    canSignOut: hasSession || (rootSessions !== undefined && person !== undefined),
    isAdministrator: false,
    bucket: about.bucket.label,
    navigation: accountNavigation({ hasSession }),
    flash: takeFlash(x, cookies),
    org: undefined,
    pathOf: assets.pathOf,
  }
}

const nameOf = (principal: Principal) =>
  principal.kind === 'user' ? principal.name : principalText(principal)

/** Of a page that belongs to no organization, for a person who is signed in. */
export async function accountViewOf(x: Exchange, services: WebServices): Promise<View> {
  const isAdministrator = await administers(x, services)
  const view = viewOf(x, services)
  return { ...view, isAdministrator, navigation: accountNavigation({ ...view, isAdministrator }) }
}

/** Servers to which people cannot sign in have no providers and no people. */
async function administers({ principal }: Exchange, { access, signIn }: WebServices): Promise<boolean> {
  return signIn !== undefined && (await access.decide(principal, 'server:admin', {})).allowed
}

/** One for each request: the page of an error that comes later shows the same. */
const views = new WeakMap<Exchange, Promise<OrgView>>()

/** `org`: its id. The name is that in the address, which may be a former one. */
export function orgViewOf(x: Exchange, services: WebServices, org: string): Promise<OrgView> {
  let view = views.get(x)
  if (view === undefined) views.set(x, (view = makeOrgView(x, services, org)))
  return view
}

/** For the page of an error. Undefined: it is about no organization that this person may know of. */
export async function orgViewOfError(x: Exchange, services: WebServices): Promise<OrgView | undefined> {
  const segment = /^\/app\/([^/]+)/.exec(x.path)?.[1]
  if (segment === undefined || !(x.route.startsWith('/app/{org}') || x.route === 'none')) return undefined
  const { access, control } = services
  const org = control.orgNames.idOf(decodeURIComponent(segment))
  // First whether the person may know of it: otherwise the answer must not depend on whether it exists.
  if (!(await access.seesOrg(x.principal, org))) return undefined
  const { deleted } = await control.orgs.get(org, x.caller)
  return deleted === null ? orgViewOf(x, services, org) : undefined
}

async function makeOrgView(x: Exchange, services: WebServices, org: string): Promise<OrgView> {
  const segment = x.path.split('/')[2] ?? org
  const name = decodeURIComponent(segment)
  const base = `/app/${segment}`
  rememberOrg(x, services.cookies, name)
  return {
    ...viewOf(x, services),
    isAdministrator: await administers(x, services),
    org: { name, base },
    navigation: await orgNavigation(
      base,
      async (action, isWhole) => {
        const decision = await services.access.decide(x.principal, action, { org }, { isFiltered: !isWhole })
        return decision.allowed
      },
      // The number of units is for those who see all of them.
      x.sight === undefined || x.sight.seesAll ? { Estate: () => knownUnits(services.graph, org) } : {},
    ),
    may: (action, unit) => x.sight === undefined || x.sight.may(action, unit),
  }
}

/** Whether the person may go to this place of the organization, at least for some units. */
export function hasPlace({ navigation, org }: OrgView, path: string): boolean {
  return navigation.some((group) => group.some(({ href }) => href === org.base + path))
}
