import type { Caller } from '../../../access/index.ts'
import { type Project, projectIdOf } from '../../../projects/index.ts'
import type { UnitView } from '../../../state/index.ts'
import type { HttpDeps } from '../deps.ts'

export interface CountedProject {
  readonly project: Project
  /** That the caller may see. */
  readonly units: number
  readonly isDefault: boolean
}

/** All projects with the number of their units, from the list of units that is in memory. */
export async function countedProjects(
  org: string,
  caller: Caller,
  { control, projects }: Pick<HttpDeps, 'control' | 'projects'>,
): Promise<readonly CountedProject[]> {
  const counts = new Map<string, number>()
  const counted = (unit: UnitView) => {
    const id = projectIdOf(unit)
    counts.set(id, (counts.get(id) ?? 0) + 1)
    // None is taken: to count them, nothing has to be known about their locks.
    return false
  }
  const [all] = await Promise.all([
    projects.list(org),
    control.units.select({ org, matches: counted, skip: 0, limit: 0 }, caller),
  ])
  // The default project comes first.
  return all.map((project, at) => ({ project, units: counts.get(project.id) ?? 0, isDefault: at === 0 }))
}
