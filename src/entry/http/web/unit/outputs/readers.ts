import { type UserView, visibleDependencies } from '../../../../../graph/index.ts'
import type { Caller } from '../../../../../state/index.ts'
import type { WebServices } from '../../services.ts'
import type { UnitPage } from '../frame.tsx'

/** The names of the units that use an output. */
export interface Readers {
  of(output: string): readonly string[]
}

/** Pure. */
export function readersOf(users: readonly UserView[]): Readers {
  return {
    of: (output) => {
      const found = users.filter(({ outputs }) => outputs === null || outputs.includes(output))
      return [...new Set(found.map(({ name }) => name))].sort()
    },
  }
}

/** Undefined: the person may not read the graph. */
export async function readersFor(
  { view, ref, unit, seen }: UnitPage,
  { graph }: WebServices,
  caller: Caller,
): Promise<Readers | undefined> {
  if (!view.may('graph:read', unit)) return undefined
  return readersOf(visibleDependencies(await graph.dependencies.list(ref, caller), seen).usedBy)
}
