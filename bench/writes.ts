import { sizeNames, sizes, type SizeName } from './reads.ts'
import type { Row } from './report.ts'
import { type Site, type Store, type StoreKind } from './site.ts'
import { interleaved, median, percent } from './slices.ts'

const UNITS = { '50 kB': 64, '5 MB': 16 } as const
const CONNECTIONS = 16
/** Round trip. With a store on this machine the CPU decides, with one in a network the round trips. */
const AWAY_MS = 20

const GOALS: Readonly<Record<StoreKind, Readonly<Record<SizeName, number>>>> = {
  file: { '50 kB': 25, '5 MB': 20 },
  s3: { '50 kB': 30, '5 MB': 25 },
}

/** (b) Writing states through the server, a new serial each time, against the driver's conditional put. */
export async function* writes(site: Site): AsyncGenerator<Row> {
  for (const kind of site.kinds) {
    const store = await site.newStore(kind)
    for (const size of sizeNames) {
      yield* throughput(site, store, size, kind)
      yield* steps(site, store, size)
    }
    if (kind === 's3')
      yield* throughput(site, await site.distant(store, AWAY_MS), '50 kB', `s3 ${AWAY_MS} ms away`)
  }
}

async function* throughput(site: Site, store: Store, size: SizeName, where: string): AsyncGenerator<Row> {
  const bytes = sizes[size]
  const folder = `${where.replaceAll(' ', '-')}/${bytes}`
  const server = await site.server(store)
  const driver = await site.driver(store)
  const numbers = Array.from({ length: UNITS[size] }, (_, i) => i)
  const load = { port: server.port, connections: CONNECTIONS, ms: 0, bytes }
  const held = numbers.map((i) => `/v1/backend/default/write/${folder}/held-${i}`)
  const free = numbers.map((i) => `/v1/backend/default/write/${folder}/free-${i}`)
  const keys = numbers.map((i) => `direct/${folder}/unit-${i}/terraform.tfstate`)
  await site.load.ask('fill', { ...load, paths: free })
  await site.load.ask('lockAll', { ...load, paths: held })
  await site.load.ask('prepare', { paths: [...held, ...free], bytes })
  await driver.ask('prepare', { keys, bytes })
  const direct = { keys, concurrency: CONNECTIONS }
  const rates = await interleaved(site.pace, {
    driver: (ms) => driver.ask('put', { ...direct, ms }),
    requests: (ms) => driver.ask('postRequests', { ...direct, ms }),
    post: (ms) => site.load.ask('write', { ...load, doing: 'post', paths: held, ms }),
    cycle: (ms) => site.load.ask('write', { ...load, doing: 'cycle', paths: free, ms }),
  })
  await site.load.ask('unlockAll', { ...load, paths: held })
  await site.load.ask('disconnect', { port: server.port })
  await driver.stop()
  await server.stop()
  yield {
    part: 'b',
    name: `POST ${size}, ${where}, against the driver's put`,
    value: percent(rates.post, rates.driver),
    unit: '%',
    goal: { atLeast: GOALS[store.kind][size] },
    note: `${median(rates.post).toFixed(0)} of ${median(rates.driver).toFixed(0)} /s`,
  }
  yield {
    part: 'b',
    name: `the requests of a POST ${size} alone, ${where}, against the driver's put`,
    value: percent(rates.requests, rates.driver),
    unit: '%',
    note: `${median(rates.requests).toFixed(0)} /s`,
  }
  yield {
    part: 'b',
    name: `lock + POST + unlock ${size}, ${where}, against the driver's put`,
    value: percent(rates.cycle, rates.driver),
    unit: '%',
    note: `${median(rates.cycle).toFixed(0)} /s`,
  }
}

/** One write after another, without HTTP. */
async function* steps(site: Site, store: Store, size: SizeName): AsyncGenerator<Row> {
  const driver = await site.driver(store)
  const found = await driver.ask('steps', { bytes: sizes[size], count: site.isQuick ? 15 : 60 })
  await driver.stop()
  const name = `POST ${size}, ${store.kind}`
  yield {
    part: 'b',
    name: `${name}: bucket writes before the answer`,
    value: found.writes,
    unit: 'writes',
    goal: { atMost: 4 },
    note: `${found.reads} reads; lock ${found.lockWrites}, unlock ${found.unlockWrites} writes`,
  }
  const lines = {
    'receive, scan, hash': found.receive,
    'encode the version': found.encode,
    'put the version': found.versionPut,
    'look at the lock (beside the version)': found.heads,
    'swap the document': found.documentSwap,
    'put the state': found.statePut,
    whole: found.whole,
  }
  for (const [step, ms] of Object.entries(lines))
    yield { part: 'b', name: `${name}: ${step}`, value: ms, unit: 'ms' }
}
