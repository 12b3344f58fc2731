import type { Caller } from '../../../access/index.ts'
import { type Project, projectIdOf } from '../../../projects/index.ts'
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
  const [all, { items }] = await Promise.all([
    projects.list(org),
    control.units.select({ org, matches: () => true, skip: 0, limit: Infinity }, caller),
  ])
  const counts = new Map<string, number>()
  for (const unit of items) {
    const id = projectIdOf(unit)
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  // The default project comes first.
  return all.map((project, at) => ({ project, units: counts.get(project.id) ?? 0, isDefault: at === 0 }))
}
