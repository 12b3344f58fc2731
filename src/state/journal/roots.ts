import { systemCaller } from '../../access/index.ts'
import { isRecent } from '../../base/clock.ts'
import { journalPrefix, sharedJournalPrefix } from '../documents/journal-layout.ts'
import { parseOrgName } from '../documents/names.ts'
import type { StateDeps } from '../settings.ts'
import type { OrgStore } from '../units/orgs.ts'

/** The journals that a query reads. */
export interface Roots {
  readonly orgs: readonly string[]
  readonly prefixes: readonly string[]
  /** Organizations that were created later are missing. */
  readonly asOf: number
}

/** How far those who read of all organizations are behind a new one. Well below SETTLE_MS. */
export const RARELY_MS = 5_000

/** Without an organization: of all. The shared journal is always among them; earlier versions write to no other. */
export function createRoots(
  { clock }: Pick<StateDeps, 'clock'>,
  orgs: Pick<OrgStore, 'names'>,
): (org: string | undefined, lagMs?: number) => Promise<Roots> {
  let all: Roots = { orgs: [], prefixes: [], asOf: 0 }
  return async (org, lagMs = 0) => {
    const asOf = clock.now()
    if (org !== undefined) return of([parseOrgName(org)], asOf)
    if (!isRecent(clock, all.asOf, lagMs)) all = of(await orgs.names(systemCaller('opentaco')), asOf)
    return all
  }
}

function of(orgs: readonly string[], asOf: number): Roots {
  return { orgs, prefixes: [...orgs.map(journalPrefix), sharedJournalPrefix], asOf }
}
