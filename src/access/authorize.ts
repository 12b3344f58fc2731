import { type Action, type Resource, SERVER_ACTIONS } from './actions.ts'
import type { CompiledPolicy } from './policy/compile.ts'
import type { UnitFacts } from './policy/rules.ts'
import { isInScope } from './policy/scope.ts'
import type { MemberPrincipal, Principal, SystemName } from './principal.ts'
import { type RunScope, isOwn } from './run-scope.ts'

export type Decision<R extends Resource = Resource> =
  | {
      readonly allowed: true
      /** What may be acted on: use this instead of what was asked for. It may name the unit by its id. */
      readonly resource: R
    }
  | { readonly allowed: false; readonly reason: Denial }

/**
 * - `unauthenticated`: the caller must say who it is.
 * - `run-scope`: outside of what the run token is for.
 * - `not-granted`: no rule allows it, or one denies it.
 * - `token-scope`: the caller may do it, but not with this token.
 * - `guarded`: only runs may write this state.
 * - `hidden`: the caller may not even know whether it exists.
 */
export type Denial = 'unauthenticated' | 'run-scope' | 'not-granted' | 'token-scope' | 'guarded' | 'hidden'

/** What is known about a caller and a resource. It is looked up before; the decision itself is pure. */
export interface Standing {
  /** The caller's grants in the organization of the resource. Undefined: none. */
  readonly policy?: CompiledPolicy | undefined
  /** Administers the server: may do everything that no rule denies. */
  readonly isAdministrator?: boolean
  readonly mayCreateOrgs?: boolean
  /** The unit of the resource. Undefined: the resource has none. */
  readonly unit?: UnitFacts | undefined
  /** The unit is guarded, and the caller has not broken the glass. */
  readonly isGuarded?: boolean
  /** The route shows or changes only what the caller may see: a right on some units is enough. */
  readonly isFiltered?: boolean | undefined
}

/** Decides everything that is allowed or denied. What no rule here allows is denied. */
export function authorize<R extends Resource>(
  principal: Principal,
  action: Action,
  resource: R,
  standing: Standing = {},
): Decision<R> {
  // For load balancers, which have no credential.
  if (action === 'server:health') return { allowed: true, resource }
  switch (principal.kind) {
    case 'anonymous':
      // Whoever runs an open server has given up all protection, guards included.
      return principal.isOpenServer ? { allowed: true, resource } : denied('unauthenticated')
    case 'run':
      return ofRun(principal.scope, action, resource)
    case 'system':
      return SYSTEM_WORK[principal.name].has(action) ? { allowed: true, resource } : denied('not-granted')
    case 'token':
      if (principal.use === 'root') return unlessGuarded(action, resource, standing)
      return ofMember(principal, action, resource, standing)
    default:
      return ofMember(principal, action, resource, standing)
  }
}

function ofMember<R extends Resource>(
  principal: MemberPrincipal,
  action: Action,
  resource: R,
  standing: Standing,
): Decision<R> {
  const decision = byPolicy(principal, action, resource, standing)
  return decision.allowed ? unlessGuarded(action, resource, standing) : decision
}

function byPolicy<R extends Resource>(
  principal: MemberPrincipal,
  action: Action,
  resource: R,
  standing: Standing,
): Decision<R> {
  const { policy, unit } = standing
  if (resource.org === undefined)
    return ofServer(principal, action, standing) ? { allowed: true, resource } : denied('not-granted')
  if (SERVER_ACTIONS.has(action)) return denied('not-granted')
  if (policy === undefined || !policy.canSeeAny) return denied('hidden')
  if (!isGranted(policy, action, standing))
    return denied(isHidden(policy, resource, standing) ? 'hidden' : 'not-granted')
  const { scope } = principal
  if (scope === undefined) return { allowed: true, resource }
  // What a filtered route shows is narrowed to the scope's units one by one.
  const narrowed = standing.isFiltered === true && unit === undefined ? { actions: scope.actions } : scope
  return isInScope(narrowed, action, unit) ? { allowed: true, resource } : denied('token-scope')
}

function isGranted(policy: CompiledPolicy, action: Action, { unit, isFiltered }: Standing): boolean {
  if (policy.allows(action, unit)) return true
  return isFiltered === true && unit === undefined && policy.needsUnit(action)
}

/** Everyone who sees the organization sees its projects. */
function isHidden(policy: CompiledPolicy, resource: Resource, { unit }: Standing): boolean {
  return unit !== undefined && !policy.allows(resource.unit === undefined ? 'org:read' : 'unit:read', unit)
}

/** Of the server and all organizations. */
function ofServer(principal: MemberPrincipal, action: Action, standing: Standing): boolean {
  const isWhole = principal.scope === undefined
  switch (action) {
    case 'server:read':
      return true
    case 'account:manage':
      return principal.kind === 'user' && isInScope(principal.scope ?? {}, action, undefined)
    case 'org:create':
      return (
        isWhole &&
        principal.kind === 'user' &&
        (standing.isAdministrator === true || standing.mayCreateOrgs === true)
      )
    default:
      return (isWhole && standing.isAdministrator === true) || standing.isFiltered === true
  }
}

/** What only runs may do to a guarded unit. */
const GUARDED: ReadonlySet<Action> = new Set<Action>([
  'state:write',
  'state:delete',
  'state:force',
  'state:rollback',
  'unit:delete',
  // Guards go by names.
  'unit:rename',
])

export function isGuardedAction(action: Action): boolean {
  return GUARDED.has(action)
}

function unlessGuarded<R extends Resource>(
  action: Action,
  resource: R,
  { isGuarded }: Standing,
): Decision<R> {
  return isGuarded === true && GUARDED.has(action) ? denied('guarded') : { allowed: true, resource }
}

const UPKEEP: ReadonlySet<Action> = new Set<Action>(['server:admin', 'org:read', 'org:create', 'unit:read'])
const NONE: ReadonlySet<Action> = new Set()
const SYSTEM_WORK: Readonly<Record<SystemName, ReadonlySet<Action>>> = {
  opentaco: UPKEEP,
  upkeep: UPKEEP,
  rollouts: new Set<Action>(['unit:read', 'graph:read', 'graph:write', 'rollout:read', 'rollout:work']),
  graph: new Set<Action>(['unit:read', 'outputs:read', 'graph:read', 'rollout:read']),
  access: new Set<Action>(['unit:read']),
  outside: NONE,
}

/**
 * What an engine does to its own unit over the http backend, and the variables that it runs with. No engine deletes a
 * state, so neither does a run.
 */
const OF_OWN_UNIT: ReadonlySet<Action> = new Set<Action>([
  'unit:create',
  'state:write',
  'lock',
  'unlock-others',
  'reads:record',
  'vars:read',
  'vars:read-sensitive',
])

/** What a run may also read, on the routes that take its token. From other units, it reads what its caller may read. */
const READS: ReadonlySet<Action> = new Set<Action>([
  'unit:read',
  'state:read',
  'versions:read',
  'versions:read-state',
  'outputs:read',
  'outputs:read-sensitive',
])

export function isReadOfRun(action: Action): boolean {
  return READS.has(action)
}

/**
 * Of its organization as a whole. Creating a unit is decided again for the very unit. What it takes out of the registry,
 * its caller must be allowed to take (see `Access`).
 */
const OF_OWN_ORG: ReadonlySet<Action> = new Set<Action>(['org:read', 'unit:create', 'registry:read'])

/**
 * A run reads the states that its caller may read (see `Access`), and writes that of its unit. A write goes to the unit by its id: if the
 * unit is renamed during the run and another one gets its name, that other one stays out of reach.
 */
function ofRun<R extends Resource>(scope: RunScope, action: Action, resource: R): Decision<R> {
  if (resource.org !== scope.org) return denied('run-scope')
  if (resource.unit === undefined)
    return OF_OWN_ORG.has(action) ? { allowed: true, resource } : denied('run-scope')
  if (READS.has(action)) return { allowed: true, resource }
  if (!OF_OWN_UNIT.has(action) || !isOwn(scope, resource.unit)) return denied('run-scope')
  return { allowed: true, resource: { ...resource, unit: scope.unit.id ?? scope.unit.name } }
}

function denied(reason: Denial): { readonly allowed: false; readonly reason: Denial } {
  return { allowed: false, reason }
}
