import { LRUCache } from 'lru-cache'
import { type OrgAccess, systemCaller, teamsIn } from '../../../access/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import type { OrgIds, RecordBase, Records } from '../../../records/index.ts'
import { type StateControl, isUnitId } from '../../../state/index.ts'
import { notFound } from './kit/errors.ts'

/**
 * Where ids lead. Addresses of this API often consist of nothing but an id. What an id does not lead to is answered
 * like what the caller may not see.
 */
export interface Locator {
  /** An organization by its id. Who may see every organization could otherwise store things in one that is not there. */
  org(id: string): Promise<{ readonly org: string }>
  /** A unit by the id of its workspace. */
  workspace(id: string): Promise<{ readonly org: string; readonly unit: string }>
  /** The organization of a team. */
  team(id: string): Promise<{ readonly org: string; readonly team: string }>
  /** A record and its organization. */
  record<R extends RecordBase>(
    records: Pick<Records<R>, 'locate'>,
    id: string,
  ): Promise<{ readonly org: string; readonly record: R }>
}

const MOST_KNOWN = 100_000

export function createLocator(
  { orgs, units }: Pick<StateControl, 'orgs' | 'units'>,
  orgIds: OrgIds,
  orgAccess: Pick<OrgAccess, 'fresh'>,
): Locator {
  /** Neither units nor teams move to another organization. */
  const orgOf = new LRUCache<string, string>({ max: MOST_KNOWN })
  const knownOrgs = new LRUCache<string, true>({ max: MOST_KNOWN })
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
    async org(org) {
      if (!knownOrgs.has(org)) await orgs.get(org, caller)
      knownOrgs.set(org, true)
      return { org }
    },
    async workspace(unit) {
      if (!isUnitId(unit)) throw notFound()
      const known = orgOf.get(unit)
      if (known !== undefined) return { org: known, unit }
      const org = await orgIds.search(async (one) => ((await isIn(one, unit)) ? one : undefined))
      if (org === undefined) throw notFound()
      orgOf.set(unit, org)
      return { org, unit }
    },
    async team(team) {
      const known = orgOf.get(team)
      const hasTeam = async (org: string) =>
        teamsIn(await orgAccess.fresh(org)).some(({ id }) => id === team) ? org : undefined
      const org = (known && (await hasTeam(known))) ?? (await orgIds.search(readably(hasTeam)))
      if (org === undefined) throw notFound()
      orgOf.set(team, org)
      return { org, team }
    },
    async record(records, id) {
      const found = await records.locate(id)
      if (found === undefined) throw notFound()
      return found
    },
  }
}

/** An organization whose access document cannot be read must not hide the others. */
function readably(
  look: (org: string) => Promise<string | undefined>,
): (org: string) => Promise<string | undefined> {
  return async (org) => {
    try {
      return await look(org)
    } catch (error) {
      if (isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) return undefined
      throw error
    }
  }
}
