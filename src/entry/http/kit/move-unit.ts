import type { Caller } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import { projectIdOf } from '../../../projects/index.ts'
import type { UnitView } from '../../../state/index.ts'

/** Who may do what goes by projects, too: moving a unit takes the right to administer it, and to create it there. */
export function checkMayMove(unit: UnitView, project: string, { principal, sight }: Caller): void {
  if (projectIdOf(unit) === project) return
  const wanted = [
    ['unit:admin', unit],
    ['unit:create', { ...unit, project }],
  ] as const
  for (const [action, facts] of wanted)
    if (principal.kind === 'run' || sight?.may(action, facts) === false)
      throw new TacoError('FORBIDDEN', `You have no permission to move ${unit.name} to another project.`, {
        facts: { action, field: 'project' },
        hint: 'It takes unit:admin on the unit, and unit:create in the project. Ask an administrator.',
      })
}
