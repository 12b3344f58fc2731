import { isRecent, isoTime } from '../../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { readEntryText } from '../catalog/catalog-entry.ts'
import { historiesPrefix } from '../documents/layout.ts'
import type { StateDeps } from '../settings.ts'
import type { UsageView } from '../views/views.ts'

/** A listing is not read further than this. */
const MOST_VERSIONS = 1_000_000

export interface Usages {
  /** One listing of the organization's versions; those who ask within `maxAgeMs` share it. */
  get(org: string, maxAgeMs: number): Promise<UsageView>
  units(org: string): Promise<number>
}

export function createUsages({ bucket, clock }: StateDeps, catalog: Catalog): Usages {
  const known = new Map<string, { readonly at: number; readonly view: Promise<UsageView> }>()

  async function units(org: string): Promise<number> {
    const { entries } = await catalog.current(org)
    return entries.reduce((count, { deletedAt }) => count + (deletedAt === 0 ? 1 : 0), 0)
  }

  async function count(org: string, at: number): Promise<UsageView> {
    let versions = 0
    let bytes = 0
    listing: for await (const page of bucket.list(historiesPrefix(org)))
      for (const { size } of page) {
        if (versions === MOST_VERSIONS) break listing
        versions++
        bytes += size
      }
    const { entries } = await catalog.current(org)
    for (const entry of entries) bytes += readEntryText(entry).view.state?.size ?? 0
    const isComplete = versions < MOST_VERSIONS
    return { units: await units(org), versions, bytes, isComplete, asOf: isoTime(at) }
  }

  return {
    units,
    get(org, maxAgeMs) {
      const last = known.get(org)
      if (last !== undefined && isRecent(clock, last.at, maxAgeMs)) return last.view
      const at = clock.now()
      const view = count(org, at)
      known.set(org, { at, view })
      view.catch(() => known.delete(org))
      return view
    },
  }
}
