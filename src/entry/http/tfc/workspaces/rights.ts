import type { Action, Caller, UnitFacts } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import { projectIdOf } from '../../../../projects/index.ts'
import type { UnitView } from '../../../../state/index.ts'

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

/** Who may do what goes by projects, too: moving a unit takes the right to administer it, and to create it there. */
export function checkMayMove(unit: UnitView, project: string, caller: Caller): void {
  if (projectIdOf(unit) === project) return
  const wanted = [
    ['unit:admin', unit],
    ['unit:create', { ...unit, project }],
  ] as const
  for (const [action, facts] of wanted)
    if (!may(caller, action, facts))
      throw new TacoError('FORBIDDEN', `You have no permission to move ${unit.name} to another project.`, {
        facts: { action },
        hint: 'It takes unit:admin on the workspace, and unit:create in the project. Ask an administrator.',
      })
}
