import { isTacoError } from '../../base/errors.ts'
import type { StateControl } from '../../state/index.ts'
import type { Reason } from '../views.ts'

/** More than this are not looked up for one answer: each costs a request to the bucket. */
const MOST_LOOKUPS = 100

/** Says of a unit that is gone what its name was, where the edge comes from a read and knows only its id. */
export function createGoneNames(units: Pick<StateControl['units'], 'get'>) {
  async function nameOf(org: string, id: string): Promise<string> {
    try {
      return (await units.get({ org, unit: id })).name
    } catch (error) {
      if (!isTacoError(error, 'NOT_FOUND', 'GONE')) throw error
      return id
    }
  }

  return async function addNames(org: string, reasons: readonly Reason[]): Promise<readonly Reason[]> {
    const isNameless = ({ kind, on }: Reason) => kind === 'gone' && on !== null && on.name === on.id
    const ids = [...new Set(reasons.filter(isNameless).map(({ on }) => on?.id ?? ''))].slice(0, MOST_LOOKUPS)
    if (ids.length === 0) return reasons
    const names = new Map(await Promise.all(ids.map(async (id) => [id, await nameOf(org, id)] as const)))
    return reasons.map((reason) => {
      const name = isNameless(reason) ? names.get(reason.on?.id ?? '') : undefined
      if (name === undefined || reason.on === null) return reason
      return { ...reason, on: { id: reason.on.id, name }, says: `${name} is gone` }
    })
  }
}
