import { systemCaller } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { createFresh } from '../base/fresh.ts'
import type { Orgs } from '../state/index.ts'

/** The ids of all organizations. Listing them costs a request to the bucket for each, so it is done rarely. */
export interface OrgIds {
  /** The first organization for which `look` finds something. Those known for a while are asked first. */
  search<T>(look: (org: string) => Promise<T | undefined>): Promise<T | undefined>
  /** False: there is no such organization, or it was deleted. */
  has(org: string): Promise<boolean>
}

const KEPT_MS = 60_000

export function createOrgIds({
  orgs,
  clock,
}: {
  readonly orgs: Pick<Orgs, 'names'>
  readonly clock: Clock
}): OrgIds {
  const caller = systemCaller('access')
  const names = createFresh({
    clock,
    forMs: KEPT_MS,
    most: 1,
    keyOf: () => '',
    read: (_: null) => orgs.names(caller),
  })

  async function search<T>(look: (org: string) => Promise<T | undefined>): Promise<T | undefined> {
    const isOld = names.peek(null) !== undefined
    const known = await names.get(null)
    const found = await firstOf(known, look)
    if (found !== undefined || !isOld) return found
    // Another server may have made an organization since.
    names.forget(null)
    const before = new Set(known)
    return firstOf(
      (await names.get(null)).filter((org) => !before.has(org)),
      look,
    )
  }

  return {
    search,
    has: async (org) => (await search(async (one) => (one === org ? true : undefined))) === true,
  }
}

async function firstOf<T>(
  orgs: readonly string[],
  look: (org: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const org of orgs) {
    const found = await look(org)
    if (found !== undefined) return found
  }
  return undefined
}
