import type { Clock } from '../base/clock.ts'
import { isTacoError } from '../base/errors.ts'
import { createFresh } from '../base/fresh.ts'
import { next } from '../base/maybe-later.ts'
import type { Action, Resource } from './actions.ts'
import { type Decision, type Standing, authorize, isGuardedAction, isReadOfRun } from './authorize.ts'
import type { Sight } from './caller.ts'
import type { Guard, OrgPolicy } from './organization/document.ts'
import type { OrgAccess } from './organization/org-access.ts'
import { FRESH_MS } from './people/people.ts'
import { type CompiledPolicy, compile } from './policy/compile.ts'
import type { UnitFacts } from './policy/rules.ts'
import { isInScope } from './policy/scope.ts'
import { matchesUnit } from './policy/unit-patterns.ts'
import { type MemberPrincipal, type Principal, isMember, principalText } from './principal.ts'
import { isOwn } from './run-scope.ts'
import type { ServerPolicy, ServerSettings } from './settings/server-settings.ts'
import { grantsIn, namesOf } from './subjects.ts'

export interface DecideOptions {
  /** The route shows or changes only what the caller may see: a right on some units is enough. */
  readonly isFiltered?: boolean | undefined
  /** The resource is a name that a unit is about to get: it is not guarded yet. */
  readonly isNewName?: boolean | undefined
}

/** Gathers what a decision is made on, and decides. At once where everything was read a moment ago. */
export interface Access {
  decide<R extends Resource>(
    principal: Principal,
    action: Action,
    resource: R,
    options?: DecideOptions,
  ): Decision<R> | Promise<Decision<R>>
  /** Undefined: everything. */
  sight(principal: Principal, org: string): Sight | undefined | Promise<Sight | undefined>
  /** Whether the caller may know that the organization exists. */
  seesOrg(principal: Principal, org: string): Promise<boolean>
  /** The names of the roles that the caller has there. Undefined: it needs none. */
  rolesIn(principal: Principal, org: string): Promise<readonly string[] | undefined>
}

export interface AccessDeps {
  readonly clock: Clock
  /** Guards hold in every mode. */
  readonly orgs: Pick<OrgAccess, 'fresh'>
  /** Undefined: people cannot sign in (`--auth none`, `--auth token`). */
  readonly settings?: Pick<ServerSettings, 'fresh'> | undefined
  /** Undefined if there is none. */
  readonly findUnit: (org: string, nameOrId: string) => Promise<UnitFacts | undefined>
  /** The project of a unit. Undefined: it cannot be told, so no right for a project counts. */
  readonly projectOf?: (unit: {
    readonly org: string
    readonly sections?: UnitFacts['sections']
  }) => string | undefined
}

/** Decides on what callers are alone, for servers without organizations' access documents. */
export const plainAccess: Access = {
  decide: (principal, action, resource) => authorize(principal, action, resource),
  sight: () => undefined,
  seesOrg: () => Promise.resolve(true),
  rolesIn: () => Promise.resolve(undefined),
}

export function createAccess({ clock, orgs, settings, findUnit, projectOf }: AccessDeps): Access {
  const units = createFresh<{ org: string; unit: string }, UnitFacts | undefined>({
    clock,
    forMs: FRESH_MS,
    most: 20_000,
    keyOf: ({ org, unit }) => `${org} ${unit}`,
    read: async ({ org, unit }) => located(await findUnit(org, unit)),
  })
  const compiled = new WeakMap<OrgPolicy, Map<string, CompiledPolicy>>()
  /** A token that is in use gives the same principal again and again. */
  const lastOf = new WeakMap<
    MemberPrincipal,
    { readonly policy: OrgPolicy; readonly isAdministrator: boolean; readonly own: CompiledPolicy }
  >()

  const located = <F extends UnitFacts | undefined>(unit: F): F => locatedUnit(unit, projectOf)

  /** Prepared once for each caller and each version of the document. */
  function policyOf(policy: OrgPolicy, principal: MemberPrincipal, isAdministrator: boolean): CompiledPolicy {
    const last = lastOf.get(principal)
    if (last?.policy === policy && last.isAdministrator === isAdministrator) return last.own
    const own = compiledFor(policy, principal, isAdministrator)
    lastOf.set(principal, { policy, isAdministrator, own })
    return own
  }

  function compiledFor(
    policy: OrgPolicy,
    principal: MemberPrincipal,
    isAdministrator: boolean,
  ): CompiledPolicy {
    const key = JSON.stringify([
      principal.kind,
      principal.id,
      isAdministrator,
      principal.kind === 'user' ? [principal.groups, principal.email] : [],
      principal.kind === 'token' ? principal.roles : [],
    ])
    let all = compiled.get(policy)
    if (all === undefined) compiled.set(policy, (all = new Map()))
    let found = all.get(key)
    if (found === undefined) all.set(key, (found = compile(grantsIn(policy, principal, isAdministrator))))
    return found
  }

  function ofServer(principal: MemberPrincipal, server: ServerPolicy): Standing {
    return {
      isAdministrator: isAdministrator(principal, server),
      mayCreateOrgs: server.orgCreators === 'everyone',
    }
  }

  function decideFor<R extends Resource>(
    principal: Principal,
    action: Action,
    resource: R,
    options: DecideOptions,
  ): Decision<R> | Promise<Decision<R>> {
    const { org, unit, project } = resource
    const reader = otherReader(principal, action, resource)
    if (reader !== undefined) return decideFor(reader, action, resource, options)
    const isOfMember = isMember(principal)
    const mayBeGuarded =
      unit !== undefined &&
      isGuardedAction(action) &&
      options.isNewName !== true &&
      principal.kind !== 'run' &&
      principal.kind !== 'anonymous'
    if (org === undefined || (!isOfMember && !mayBeGuarded)) {
      if (!isOfMember) return authorize(principal, action, resource)
      return next(serverPolicy(), (server) =>
        authorize(principal, action, resource, { ...ofServer(principal, server), ...options }),
      )
    }
    return next(orgs.fresh(org), (policy) =>
      next(isOfMember ? serverPolicy() : undefined, (server) => {
        const standing: Standing = server === undefined || !isOfMember ? {} : ofServer(principal, server)
        const own = isOfMember ? policyOf(policy, principal, standing.isAdministrator === true) : undefined
        const facts = unit === undefined ? undefined : factsFor({ org, unit }, action, policy, principal, own)
        return next(facts, (known) => {
          const found = inProject(known, project)
          return authorize(principal, action, resource, {
            ...standing,
            ...options,
            policy: own,
            unit: found,
            isGuarded:
              found !== undefined && mayBeGuarded && isGuarded(policy, found, principal, clock.now()),
          })
        })
      }),
    )
  }

  /** A unit is only looked up where rules go by what the request does not say: its labels, or its name if it has an id. */
  function factsFor(
    ref: { readonly org: string; readonly unit: string },
    action: Action,
    policy: OrgPolicy,
    principal: Principal,
    own: CompiledPolicy | undefined,
  ): UnitFacts | Promise<UnitFacts> {
    const byScope = 'scope' in principal && isMember(principal) && principal.scope?.units !== undefined
    // A guard of the whole organization covers every unit, but the glass is broken for one, by its id.
    const byGuard =
      isGuardedAction(action) &&
      policy.guards.some(({ units: some }) => some !== undefined || policy.brokenGlass.length > 0)
    const byRules = own !== undefined && (own.needsUnit(action) || own.needsUnit('unit:read'))
    const unknown = { id: null, name: ref.unit, labels: {} }
    if (!byScope && !byGuard && !byRules) return unknown
    return next(units.get(ref), (found) => found ?? unknown)
  }

  function serverPolicy(): ServerPolicy | Promise<ServerPolicy> {
    return settings?.fresh() ?? { providers: [], administrators: [] }
  }

  /** For what is asked about many organizations: one that is damaged must not hide the others. */
  async function readable(org: string): Promise<OrgPolicy | undefined> {
    try {
      return await orgs.fresh(org)
    } catch (error) {
      if (isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) return undefined
      throw error
    }
  }

  return {
    decide: (principal, action, resource, options = {}) => decideFor(principal, action, resource, options),
    sight(principal, org) {
      if (!isMember(principal)) return undefined
      return next(orgs.fresh(org), (policy) =>
        next(serverPolicy(), (server) => {
          const own = policyOf(policy, principal, isAdministrator(principal, server))
          const { scope } = principal
          const seesAll =
            !own.needsUnit('unit:read') && own.allows('unit:read', undefined) && scope?.units === undefined
          return {
            seesAll,
            needsUnit: (action) => own.needsUnit(action) || scope?.units !== undefined,
            may: (action, unit) =>
              own.allows(action, own.needsUnit(action) ? located(unit) : unit) &&
              (scope === undefined || isInScope(scope, action, unit)),
          }
        }),
      )
    },
    async seesOrg(principal, org) {
      if (!isMember(principal)) return true
      const [policy, server] = [await readable(org), await serverPolicy()]
      const isAdmin = isAdministrator(principal, server)
      return policy === undefined ? isAdmin : policyOf(policy, principal, isAdmin).canSeeAny
    },
    async rolesIn(principal, org) {
      if (!isMember(principal)) return undefined
      const [policy, server] = [await readable(org), await serverPolicy()]
      if (policy === undefined) return []
      const grants = grantsIn(policy, principal, isAdministrator(principal, server))
      return [...new Set(grants.map(({ role }) => role.name))].toSorted()
    },
  }
}

/** With the project that the unit is in, as far as that can be known. */
export function locatedUnit<F extends UnitFacts | undefined>(unit: F, projectOf: AccessDeps['projectOf']): F {
  if (unit === undefined || unit.project !== undefined || unit.org === undefined) return unit
  const project = projectOf?.({ org: unit.org, sections: unit.sections })
  return project === undefined ? unit : { ...unit, project }
}

/** A project is decided on like a unit in it that has no name. Pure. */
function inProject(unit: UnitFacts | undefined, project: string | undefined): UnitFacts | undefined {
  if (project === undefined) return unit
  return { ...(unit ?? { id: null, name: '', labels: {} }), project }
}

/** The principal whose rights decide what a run may read beyond the state of its own unit. Pure. */
function otherReader(principal: Principal, action: Action, { org, unit }: Resource) {
  if (principal.kind !== 'run' || org !== principal.scope.org) return undefined
  const { scope, reader } = principal
  if (unit === undefined) return action === 'registry:read' ? reader : undefined
  return isReadOfRun(action) && !isOwn(scope, unit) ? reader : undefined
}

export function isAdministrator(principal: MemberPrincipal, { administrators }: ServerPolicy): boolean {
  if (principal.kind !== 'user' || administrators.length === 0) return false
  const subjects = new Set(administrators)
  return namesOf(principal).some(({ to }) => subjects.has(to))
}

/** The guards that cover a unit. Pure. */
export function guardsOn({ guards }: Pick<OrgPolicy, 'guards'>, unit: UnitFacts): readonly Guard[] {
  return guards.filter(
    ({ units }) => units === undefined || units.some((pattern) => matchesUnit(pattern, unit)),
  )
}

/** Guarded, and nobody has broken the glass for this caller. Pure. */
export function isGuarded(policy: OrgPolicy, unit: UnitFacts, principal: Principal, now: number): boolean {
  if (guardsOn(policy, unit).length === 0) return false
  const by = principalText(principal)
  return !policy.brokenGlass.some((one) => one.unit === unit.id && one.by === by && one.until > now)
}
