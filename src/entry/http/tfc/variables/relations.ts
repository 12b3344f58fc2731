import { isTacoError } from '../../../../base/errors.ts'
import type { Caller } from '../../../../state/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { invalidRelation } from '../kit/errors.ts'

interface Relations {
  readonly org: string
  /** The project that owns the set. Its set is for its own units. */
  readonly owner: string | undefined
  readonly workspaces?: readonly string[] | undefined
  readonly projects?: readonly string[] | undefined
}

/** Refuses ids that lead to nothing, and what a set of a project cannot be attached to. */
export async function checkRelations(
  { unitVariables, projects: service }: Pick<TfcServices, 'unitVariables' | 'projects'>,
  { org, owner, workspaces = [], projects = [] }: Relations,
  caller: Caller,
): Promise<void> {
  const known = new Set((await service.list(org)).map(({ id }) => id))
  if (owner !== undefined && !known.has(owner))
    throw invalidRelation('parent', `There is no project ${owner}.`)
  for (const project of projects) {
    if (!known.has(project)) throw invalidRelation('projects', `There is no project ${project}.`)
    if (owner !== undefined && project !== owner)
      throw invalidRelation('projects', 'A variable set of a project is for that project only.')
  }
  for (const workspace of workspaces) {
    const project = await projectOf(workspace)
    if (project === undefined) throw invalidRelation('workspaces', `There is no workspace ${workspace}.`)
    if (owner !== undefined && project !== owner)
      throw invalidRelation('workspaces', `The workspace ${workspace} is not in the project of the set.`)
  }

  async function projectOf(unit: string): Promise<string | undefined> {
    try {
      return (await unitVariables.find({ org, unit }, caller)).project
    } catch (error) {
      if (isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST')) return undefined
      throw error
    }
  }
}
