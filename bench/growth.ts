import { listings, msOf } from './listing.ts'
import type { Row } from './report.ts'
import { type Site, type StoreKind } from './site.ts'
import { interleaved, median, percent } from './slices.ts'

const FEW = 100
const MANY = 10_000
const BYTES = 50_000
const CONNECTIONS = 16

/** (f) What a hundred times as many units cost. */
export async function* growth(site: Site): AsyncGenerator<Row> {
  for (const kind of site.kinds) {
    yield* writesGrow(site, kind)
    const few = await listings(site, kind, FEW)
    const many = await listings(site, kind, MANY)
    for (const when of ['cold', 'warm', 'changed'] as const) {
      const [before, after] = [msOf(few, when), msOf(many, when)]
      yield {
        part: 'f',
        name: `listing ${when}, ${kind}, from ${FEW} to ${MANY} units`,
        value: after / before,
        unit: '×',
        note: `${before.toFixed(1)} to ${after.toFixed(1)} ms`,
      }
    }
  }
}

async function* writesGrow(site: Site, kind: StoreKind): AsyncGenerator<Row> {
  const few = await site.server(await site.storeWithUnits(kind, FEW))
  const many = await site.server(await site.storeWithUnits(kind, MANY))
  const paths = Array.from({ length: 64 }, (_, i) => `/v1/backend/default/growth/unit-${i}`)
  const load = { connections: CONNECTIONS, bytes: BYTES, ms: 0 }
  const cycle = (port: number) => {
    // Serials continue, whichever of the two is written.
    return (ms: number) => site.load.ask('write', { ...load, port, paths, ms, doing: 'cycle' })
  }
  const rates = await interleaved(site.pace, { few: cycle(few.port), many: cycle(many.port) })
  for (const { port } of [few, many]) await site.load.ask('disconnect', { port })
  await few.stop()
  await many.stop()
  yield {
    part: 'f',
    name: `lock + POST + unlock 50 kB, ${kind}, from ${FEW} to ${MANY} units`,
    value: 100 / percent(rates.many, rates.few),
    unit: '×',
    note: `${median(rates.few).toFixed(0)} to ${median(rates.many).toFixed(0)} /s`,
  }
}
