import type { Action, Resource } from './actions.ts'
import type { Principal, SystemName } from './principal.ts'
import { type RunScope, isOwn } from './run-scope.ts'

export type Decision<R extends Resource = Resource> =
  | {
      readonly allowed: true
      /** What may be acted on: use this instead of what was asked for. It may name the unit by its id. */
      readonly resource: R
    }
  | { readonly allowed: false; readonly reason: Denial }

/** `unauthenticated`: the caller must say who it is. `run-scope`: outside of what the run token is for. */
export type Denial = 'unauthenticated' | 'run-scope' | 'not-granted'

/** Decides everything that is allowed or denied. What no rule here allows is denied. */
export function authorize<R extends Resource>(
  principal: Principal,
  action: Action,
  resource: R,
): Decision<R> {
  // For load balancers, which have no credential.
  if (action === 'server:health') return { allowed: true, resource }
  switch (principal.kind) {
    case 'token':
      return principal.use === 'root' ? { allowed: true, resource } : denied('not-granted')
    case 'anonymous':
      return principal.isOpenServer ? { allowed: true, resource } : denied('unauthenticated')
    case 'run':
      return ofRun(principal.scope, action, resource)
    case 'system':
      return SYSTEM_WORK[principal.name].has(action) ? { allowed: true, resource } : denied('not-granted')
    default:
      // No rule grants anything to people and teams yet.
      return denied('not-granted')
  }
}

const UPKEEP: ReadonlySet<Action> = new Set<Action>(['server:admin', 'org:read', 'org:create', 'unit:read'])
const NONE: ReadonlySet<Action> = new Set()
const SYSTEM_WORK: Readonly<Record<SystemName, ReadonlySet<Action>>> = {
  opentaco: UPKEEP,
  upkeep: UPKEEP,
  rollouts: new Set<Action>(['unit:read', 'graph:read', 'graph:write', 'rollout:read', 'rollout:work']),
  graph: new Set<Action>(['unit:read', 'outputs:read', 'graph:read', 'rollout:read']),
  outside: NONE,
}

/** What an engine does to its own unit over the http backend. No engine deletes a state, so neither does a run. */
const OF_OWN_UNIT: ReadonlySet<Action> = new Set<Action>([
  'unit:create',
  'state:write',
  'lock',
  'unlock-others',
  'reads:record',
])

/**
 * A run reads the states of its organization and writes that of its unit. A write goes to the unit by its id: if the
 * unit is renamed during the run and another one gets its name, that other one stays out of reach.
 */
function ofRun<R extends Resource>(scope: RunScope, action: Action, resource: R): Decision<R> {
  if (resource.org !== scope.org || resource.unit === undefined) return denied('run-scope')
  if (action === 'state:read') return { allowed: true, resource }
  if (!OF_OWN_UNIT.has(action) || !isOwn(scope, resource.unit)) return denied('run-scope')
  return { allowed: true, resource: { ...resource, unit: scope.unit.id ?? scope.unit.name } }
}

function denied(reason: Denial): { readonly allowed: false; readonly reason: Denial } {
  return { allowed: false, reason }
}
