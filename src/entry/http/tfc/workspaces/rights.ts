import type { Action, Caller, UnitFacts } from '../../../../access/index.ts'

/** What a run may do to its own unit. Its token opens nothing else here. */
const OF_RUN: ReadonlySet<Action> = new Set<Action>(['unit:read', 'state:read', 'state:write', 'lock'])

/** Whether the caller may do something, for what answers say about permissions. It decides nothing. */
export function may({ principal, sight }: Caller, action: Action, unit?: UnitFacts): boolean {
  if (principal.kind === 'run') return OF_RUN.has(action)
  return sight === undefined || sight.may(action, unit)
}

/** Permissions as this API writes them, each the answer for one action. */
export function permissionsOf(
  caller: Caller,
  actions: Readonly<Record<string, Action>>,
  unit?: UnitFacts,
): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [name, may(caller, action, unit)]),
  )
}
