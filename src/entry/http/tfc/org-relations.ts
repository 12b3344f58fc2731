import type { TfcServices } from './kit/define.ts'
import { invalidRelation } from './kit/errors.ts'
import { allUnits } from './workspaces/list.ts'
import type { Caller, UnitView } from '../../../state/index.ts'

/** The units of an organization that are there and that the caller may see, by id. */
export async function unitsSeen(
  services: Pick<TfcServices, 'control'>,
  org: string,
  caller: Caller,
): Promise<ReadonlyMap<string, UnitView>> {
  return new Map((await allUnits(services, org, caller)).map((unit) => [unit.id, unit]))
}

/** Refuses relations to what is not in the organization. */
export function checkRelated(
  what: string,
  known: { has(id: string): boolean },
  relations: Readonly<Record<string, readonly string[] | undefined>>,
): void {
  for (const [relation, ids = []] of Object.entries(relations))
    for (const id of ids)
      if (!known.has(id))
        throw invalidRelation(
          relation,
          `There is no ${what} ${id} in this organization, or you may not see it.`,
        )
}

export async function checkProjects(
  { projects }: Pick<TfcServices, 'projects'>,
  org: string,
  relations: Readonly<Record<string, readonly string[] | undefined>>,
): Promise<void> {
  if (Object.values(relations).every((ids = []) => ids.length === 0)) return
  checkRelated('project', new Set((await projects.list(org)).map(({ id }) => id)), relations)
}

/** Null: without a pool. */
export async function checkAgentPool(
  { agentPools }: Pick<TfcServices, 'agentPools'>,
  org: string,
  id: string | null | undefined,
  refused: (message: string) => Error = (message) => invalidRelation('agent-pool', message),
): Promise<void> {
  if (id === undefined || id === null || id === '') return
  if (!(await agentPools.list({ org })).some((pool) => pool.id === id))
    throw refused(`There is no agent pool ${id} in this organization, or you may not see it.`)
}
