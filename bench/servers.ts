import type { Doing } from './programs/driver-servers.ts'
import type { Row } from './report.ts'
import { type Site, type StoreKind } from './site.ts'
import { interleaved, median, percent, type Slice } from './slices.ts'

const CONCURRENCY = 4
/** There are many combinations: with the usual pace they would take more than an hour. */
const PACE = { rounds: 3, sliceMs: 1_000 }

/**
 * (l) Several servers on one bucket: what an operation costs with ten and fifty times as many units. On two shared
 * cores the rates of 1 and 8 servers cannot be compared; those of few and many units can.
 */
export async function* servers(site: Site): AsyncGenerator<Row> {
  const [few, ...many] = site.isQuick ? [200, 2_000] : [1_000, 10_000, 50_000]
  if (few === undefined) return
  for (const kind of site.kinds)
    for (const count of site.isQuick ? [2] : [1, 2, 4, 8])
      for (const units of many) yield* compared(site, { kind, servers: count, few, many: units })
}

interface Compared {
  readonly kind: StoreKind
  readonly servers: number
  readonly few: number
  readonly many: number
}

async function* compared(site: Site, { kind, servers, few, many }: Compared): AsyncGenerator<Row> {
  const groups = {
    few: await serving(site, kind, few, servers),
    many: await serving(site, kind, many, servers),
  }
  for (const doing of ['create', 'write', 'list'] as const) {
    const slice = (group: Group) => (ms: number) => group.work(doing, ms)
    for (const group of Object.values(groups)) group.reset()
    const rates = await interleaved(PACE, { few: slice(groups.few), many: slice(groups.many) })
    const what = `${NAMES[doing]}, ${kind}, ${servers} servers`
    yield {
      part: 'l',
      name: `${what}, from ${few} to ${many} units`,
      value: 100 / percent(rates.many, rates.few),
      unit: '×',
      note: `${median(rates.few).toFixed(0)} to ${median(rates.many).toFixed(0)} /s`,
    }
    yield {
      part: 'l',
      name: `${what}, ${many} units, of the bucket`,
      value: groups.many.requestsPerOperation(),
      unit: 'requests',
      note: `${groups.few.requestsPerOperation().toFixed(1)} with ${few}`,
    }
  }
  for (const group of Object.values(groups)) await group.stop()
}

const NAMES: Readonly<Record<Doing, string>> = {
  create: 'create a unit',
  write: 'write a state',
  list: 'change a unit and list',
}

interface Group {
  work(doing: Doing, ms: number): Promise<Slice>
  reset(): void
  requestsPerOperation(): number
  stop(): Promise<void>
}

let groups = 0

/** So many processes over one bucket that has so many units. */
async function serving(site: Site, kind: StoreKind, units: number, count: number): Promise<Group> {
  const store = await site.storeWithUnits(kind, units)
  const drivers = await Promise.all(Array.from({ length: count }, () => site.driver(store)))
  const group = ++groups
  const nameOf = (n: number) => `servers/group-${group}-server-${n % count}`
  await Promise.all(drivers.map((driver, n) => driver.ask('serve', { own: nameOf(n), other: nameOf(n + 1) })))
  let operations = 0
  let requests = 0
  return {
    async work(doing, ms) {
      const slices = await Promise.all(
        drivers.map((driver) => driver.ask('work', { doing, ms, concurrency: CONCURRENCY })),
      )
      const done = slices.reduce((sum, slice) => sum + slice.count, 0)
      operations += done
      requests += slices.reduce((sum, slice) => sum + slice.requests, 0)
      return { count: done, ms: Math.max(...slices.map((slice) => slice.ms)) }
    },
    reset: () => void ([operations, requests] = [0, 0]),
    requestsPerOperation: () => requests / operations,
    stop: async () => void (await Promise.all(drivers.map((driver) => driver.stop()))),
  }
}
