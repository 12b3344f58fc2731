import type { Action } from '../actions.ts'
import type { OrgPolicy } from '../organization/document.ts'
import { type Binding, grantsOf } from './bindings.ts'
import { evaluate } from './evaluate.ts'
import type { Grant, UnitFacts } from './rules.ts'
import { isInScope } from './scope.ts'

/** What can be done with one unit, from looking at it to deleting it. */
export const UNIT_ACTIONS: readonly Action[] = [
  'unit:read',
  'graph:read',
  'events:read',
  'versions:read',
  'outputs:read',
  'outputs:read-sensitive',
  'state:read',
  'versions:read-state',
  'vars:read',
  'vars:read-sensitive',
  'reads:record',
  'lock',
  'run:plan',
  'run:apply',
  'run:approve',
  'run:token',
  'rollout:read',
  'rollout:start',
  'rollout:work',
  'rollout:control',
  'state:write',
  'state:rollback',
  'vars:write',
  'graph:write',
  'unit:update',
  'unit:rename',
  'unlock-others',
  'state:break-glass',
  'state:force',
  'state:delete',
  'unit:admin',
  'unit:delete',
  'unit:restore',
]

/** A role that was given to somebody, and what it means for one unit. */
export interface GrantOnUnit {
  readonly role: string
  /** As stored, or `workload:<name>` for the jobs that a rule lets in. */
  readonly to: string
  /** The patterns and the project that it was narrowed to. */
  readonly units?: readonly string[] | undefined
  readonly project?: string | undefined
  readonly allows: ReadonlySet<Action>
  readonly denies: ReadonlySet<Action>
}

/** The roles that mean something for a unit. Another role of the same person may still deny what one allows. Pure. */
export function grantsOnUnit(policy: OrgPolicy, unit: UnitFacts): readonly GrantOnUnit[] {
  const given = policy.bindings.map((binding) => onUnit(policy, binding, unit))
  const ofJobs = policy.workloads.flatMap(({ name, roles, scope }) =>
    roles.map((role) => {
      const found = onUnit(policy, { role, to: `workload:${name}` }, unit)
      if (scope === undefined) return found
      const allows = [...found.allows].filter((action) => isInScope(scope, action, unit))
      return { ...found, units: scope.units, allows: new Set(allows) }
    }),
  )
  return [...given, ...ofJobs].filter(({ allows, denies }) => allows.size + denies.size > 0)
}

function onUnit({ roles }: OrgPolicy, binding: Binding, unit: UnitFacts): GrantOnUnit {
  const { role, to, units, project } = binding
  const grants = grantsOf({ roles, bindings: [binding] }, [{ to, through: to }])
  return { role, to, units, project, ...decided(grants, unit) }
}

function decided(grants: readonly Grant[], unit: UnitFacts) {
  const all = UNIT_ACTIONS.map((action) => ({ action, ...evaluate(grants, action, unit) }))
  const where = (isMeant: (one: (typeof all)[number]) => boolean) =>
    new Set(all.filter(isMeant).map(({ action }) => action))
  return {
    allows: where(({ allowed }) => allowed),
    denies: where(({ allowed, because }) => !allowed && because.length > 0),
  }
}
