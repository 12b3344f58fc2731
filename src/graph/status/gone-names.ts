import { systemCaller } from '../../access/index.ts'
import { isTacoError } from '../../base/errors.ts'
import type { StateControl } from '../../state/index.ts'

/** More than this are not looked up for one answer: each costs a request to the bucket. */
const MOST_LOOKUPS = 100

export type GoneNames = ReturnType<typeof createGoneNames>

/** The last names of units that are gone, by id. An edge that comes from a read alone knows only the id. */
export function createGoneNames(units: Pick<StateControl['units'], 'get'>) {
  async function nameOf(org: string, id: string): Promise<string> {
    try {
      return (await units.get({ org, unit: id }, systemCaller('graph'))).name
    } catch (error) {
      if (!isTacoError(error, 'NOT_FOUND', 'GONE')) throw error
      return id
    }
  }

  return async (org: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const wanted = [...new Set(ids)].slice(0, MOST_LOOKUPS)
    return new Map(await Promise.all(wanted.map(async (id) => [id, await nameOf(org, id)] as const)))
  }
}
