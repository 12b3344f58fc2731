import type { Caller } from '../../access/index.ts'
import { isRecent, isoTime } from '../../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { viewIn } from '../catalog/catalog-entry.ts'
import { historiesPrefix } from '../documents/layout.ts'
import type { StateDeps } from '../settings.ts'
import type { UnitUsage } from '../state-control.ts'
import type { UsageView } from '../views/views.ts'

/** A listing is not read further than this. */
const MOST_VERSIONS = 1_000_000

export interface Usages {
  /** One listing of the organization's versions; those who ask within `maxAgeMs` share it. */
  get(org: string, maxAgeMs: number): Promise<UsageView>
  /** From the same listing, the largest first. */
  byUnit(org: string, maxAgeMs: number, caller: Caller): Promise<readonly UnitUsage[]>
  units(org: string): Promise<number>
}

interface Counted {
  readonly view: UsageView
  /** By the id of the unit. */
  readonly versions: ReadonlyMap<string, { readonly versions: number; readonly versionBytes: number }>
}

interface Known {
  /** When the listing began. */
  readonly at: number
  readonly counted: Promise<Counted>
  isDone: boolean
}

export function createUsages({ bucket, clock }: StateDeps, catalog: Catalog): Usages {
  const known = new Map<string, Known>()

  async function units(org: string): Promise<number> {
    const { entries } = await catalog.current(org)
    return entries.reduce((count, { deletedAt }) => count + (deletedAt === 0 ? 1 : 0), 0)
  }

  async function count(org: string, at: number): Promise<Counted> {
    const prefix = historiesPrefix(org)
    const ofUnits = new Map<string, { versions: number; versionBytes: number }>()
    let versions = 0
    let bytes = 0
    listing: for await (const page of bucket.list(prefix))
      for (const { key, size } of page) {
        if (versions === MOST_VERSIONS) break listing
        versions++
        bytes += size
        const unit = key.slice(prefix.length, key.indexOf('/', prefix.length))
        const before = ofUnits.get(unit) ?? { versions: 0, versionBytes: 0 }
        ofUnits.set(unit, { versions: before.versions + 1, versionBytes: before.versionBytes + size })
      }
    const { entries } = await catalog.current(org)
    for (const entry of entries) bytes += viewIn(entry).state?.size ?? 0
    const isComplete = versions < MOST_VERSIONS
    const view = { units: await units(org), versions, bytes, isComplete, asOf: isoTime(at) }
    return { view, versions: ofUnits }
  }

  function counted(org: string, maxAgeMs: number): Promise<Counted> {
    const last = known.get(org)
    // A listing that takes longer than that must still come to its end.
    if (last !== undefined && (!last.isDone || isRecent(clock, last.at, maxAgeMs))) return last.counted
    const at = clock.now()
    const now: Known = { at, counted: count(org, at), isDone: false }
    known.set(org, now)
    now.counted.then(
      () => (now.isDone = true),
      () => known.delete(org),
    )
    return now.counted
  }

  return {
    units,
    get: async (org, maxAgeMs) => (await counted(org, maxAgeMs)).view,
    async byUnit(org, maxAgeMs, { sight }) {
      const { versions } = await counted(org, maxAgeMs)
      const { entries } = await catalog.current(org)
      const found = entries.flatMap((entry): UnitUsage[] => {
        const view = viewIn(entry)
        if (sight !== undefined && !sight.seesAll && !sight.may('unit:read', view)) return []
        const { id, name, state } = view
        const stored = versions.get(id) ?? { versions: 0, versionBytes: 0 }
        return [{ id, name, isDeleted: entry.deletedAt !== 0, stateBytes: state?.size ?? 0, ...stored }]
      })
      return found.toSorted((a, b) => bytesOf(b) - bytesOf(a) || (a.name < b.name ? -1 : 1))
    },
  }
}

const bytesOf = ({ stateBytes, versionBytes }: UnitUsage) => stateBytes + versionBytes
