import type { ListingFigures } from './programs/driver-listing.ts'
import type { Row } from './report.ts'
import { type Site, type StoreKind } from './site.ts'
import { median } from './slices.ts'

const COUNT = 10_000
const GOALS = { cold: 12, warm: 2 } as const
const NAMES = {
  first: 'for the first time ever',
  cold: 'cold',
  warm: 'warm',
  changed: 'after one change elsewhere',
} as const

/** (d) Listing all units, and the requests it makes. */
export async function* listing(site: Site): AsyncGenerator<Row> {
  for (const kind of site.kinds) {
    const figures = await listings(site, kind, COUNT)
    for (const [when, text] of Object.entries(NAMES) as [keyof typeof NAMES, string][]) {
      const goal = when === 'cold' || when === 'warm' ? { goal: { atMost: GOALS[when] } } : {}
      const requests = Math.max(...figures.map((figure) => figure[when].requests))
      yield {
        part: 'd',
        name: `list ${COUNT} units, ${kind}, ${text}`,
        value: requests,
        unit: 'requests',
        ...goal,
      }
      yield {
        part: 'd',
        name: `list ${COUNT} units, ${kind}, ${text}`,
        value: msOf(figures, when),
        unit: 'ms',
      }
    }
  }
}

export async function listings(site: Site, kind: StoreKind, count: number): Promise<ListingFigures[]> {
  const store = await site.storeWithUnits(kind, count)
  const driver = await site.driver(store)
  const figures = await driver.ask('listings', { rounds: site.isQuick ? 2 : 5 })
  await driver.stop()
  return figures
}

export function msOf(figures: readonly ListingFigures[], when: keyof ListingFigures): number {
  return median(figures.map((figure) => figure[when].ms))
}
