import { LRUCache } from 'lru-cache'
import { systemCaller } from '../../../access/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import type { OrgIds, RecordBase, Records } from '../../../records/index.ts'
import { type StateControl, isUnitId } from '../../../state/index.ts'
import { notFound } from './kit/errors.ts'

/**
 * Where ids lead. Addresses of this API often consist of nothing but an id. What an id does not lead to is answered
 * like what the caller may not see.
 */
export interface Locator {
  /** A unit by the id of its workspace. */
  workspace(id: string): Promise<{ readonly org: string; readonly unit: string }>
  /** A record and its organization. */
  record<R extends RecordBase>(
    records: Pick<Records<R>, 'locate'>,
    id: string,
  ): Promise<{ readonly org: string; readonly record: R }>
}

const MOST_KNOWN = 100_000

export function createLocator({ units }: Pick<StateControl, 'units'>, orgIds: OrgIds): Locator {
  /** A unit never moves to another organization. */
  const orgOf = new LRUCache<string, string>({ max: MOST_KNOWN })
  const caller = systemCaller('access')

  async function isIn(org: string, unit: string): Promise<boolean> {
    try {
      await units.get({ org, unit }, caller)
      return true
    } catch (error) {
      if (isTacoError(error, 'NOT_FOUND', 'ORG_DELETED')) return false
      throw error
    }
  }

  return {
    async workspace(unit) {
      if (!isUnitId(unit)) throw notFound()
      const known = orgOf.get(unit)
      if (known !== undefined) return { org: known, unit }
      const org = await orgIds.search(async (one) => ((await isIn(one, unit)) ? one : undefined))
      if (org === undefined) throw notFound()
      orgOf.set(unit, org)
      return { org, unit }
    },
    async record(records, id) {
      const found = await records.locate(id)
      if (found === undefined) throw notFound()
      return found
    },
  }
}
