import { sizes } from './reads.ts'
import type { Row } from './report.ts'
import type { Site } from './site.ts'
import { interleaved, median, percent } from './slices.ts'

const UNITS = 64
const CONNECTIONS = 16

/** (m) One server process against two on one port, each over a bucket of its own. The load takes its share of the cores. */
export async function* workers(site: Site): AsyncGenerator<Row> {
  const bytes = sizes['50 kB']
  const paths = Array.from({ length: UNITS }, (_, i) => `/v1/backend/default/cycle/unit-${i}`)
  for (const kind of site.kinds) {
    const servers = []
    for (const TACO_WORKERS of ['1', '2'])
      servers.push(await site.server(await site.newStore(kind), { TACO_WORKERS }))
    const [one, two] = servers.map(({ port }) => ({ port, connections: CONNECTIONS, paths, bytes, ms: 0 }))
    if (one === undefined || two === undefined) return
    for (const load of [one, two]) await site.load.ask('fill', load)
    const rates = await interleaved(site.pace, {
      one: (ms) => site.load.ask('write', { ...one, doing: 'cycle', ms }),
      two: (ms) => site.load.ask('write', { ...two, doing: 'cycle', ms }),
    })
    for (const { port, stop } of servers) {
      await site.load.ask('disconnect', { port })
      await stop()
    }
    yield {
      part: 'm',
      name: `lock + POST + unlock 50 kB, ${kind}, 2 workers against 1`,
      value: percent(rates.two, rates.one) / 100,
      unit: '×',
      note: `${median(rates.one).toFixed(0)} and ${median(rates.two).toFixed(0)} /s`,
    }
  }
}
