import { LRUCache } from 'lru-cache'
import { type OrgAccess, systemCaller, teamsIn } from '../../../access/index.ts'
import type { Clock } from '../../../base/clock.ts'
import { isTacoError } from '../../../base/errors.ts'
import { createFresh } from '../../../base/fresh.ts'
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
  /** A unit by the id of its workspace. That it was deleted is known after two seconds; routes that write look again. */
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
const FRESH_MS = 2_000

export function createLocator(
  { orgs, units }: Pick<StateControl, 'orgs' | 'units'>,
  orgIds: OrgIds,
  orgAccess: Pick<OrgAccess, 'fresh'>,
  clock: Clock,
): Locator {
  /** Neither units nor teams move to another organization. */
  const orgOf = new LRUCache<string, string>({ max: MOST_KNOWN })
  const caller = systemCaller('access')
  /** What was deleted can be restored, but not through this API. */
  const liveOrgs = createFresh({
    clock,
    forMs: FRESH_MS,
    most: 1_000,
    keyOf: (org: string) => org,
    read: async (org) => (await orgs.get(org, caller)).deleted === null,
  })
  const liveUnits = createFresh({
    clock,
    forMs: FRESH_MS,
    most: 10_000,
    keyOf: ({ unit }: { readonly org: string; readonly unit: string }) => unit,
    read: async (ref) => (await units.get(ref, caller)).deleted === null,
  })

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
      if (!(await liveOrgs.get(org))) throw notFound()
      return { org }
    },
    async workspace(unit) {
      if (!isUnitId(unit)) throw notFound()
      const look = async (one: string) => ((await isIn(one, unit)) ? one : undefined)
      const org = orgOf.get(unit) ?? (await orgIds.search(look))
      if (org === undefined) throw notFound()
      orgOf.set(unit, org)
      if (!(await liveUnits.get({ org, unit }))) throw notFound()
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
