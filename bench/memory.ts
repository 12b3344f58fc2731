import { memoryOf, resetPeak } from '../test/rig/memory.ts'
import { sizeNames, sizes } from './reads.ts'
import type { Row } from './report.ts'
import { type BenchServer, type Site, type StoreKind } from './site.ts'

const MB = 1e6
const LARGE = 200_000_000
const CONNECTIONS = 16
const SOAK_BYTES = 50_000
/** Longer than the pauses after which a server tidies up, which it does in several steps. */
const REST_MS = 45_000

/** (e) What the server's process holds, as the kernel counts it. */
export async function* memory(site: Site): AsyncGenerator<Row> {
  for (const kind of site.kinds) {
    yield* underLoad(site, kind)
    yield* soak(site, kind)
    yield* withUnits(site, kind)
  }
}

async function* underLoad(site: Site, kind: StoreKind): AsyncGenerator<Row> {
  const server = await site.server(await site.newStore(kind))
  await rest()
  const idle = (await memoryOf(server.pid)).now
  yield { part: 'e', name: `idle, empty, ${kind}`, value: idle / MB, unit: 'MB', goal: { atMost: 100 } }

  const load = { port: server.port, connections: 1, ms: 0 }
  await resetPeak(server.pid)
  const large = await site.load.ask('large', {
    ...load,
    paths: ['/v1/backend/default/large'],
    bytes: site.isQuick ? LARGE / 4 : LARGE,
  })
  yield {
    part: 'e',
    name: `growth over idle, one state of ${site.isQuick ? 50 : 200} MB up and down, ${kind}`,
    value: ((await memoryOf(server.pid)).peak - idle) / MB,
    unit: 'MB',
    goal: { atMost: 64 },
    note: `${(large.upMs / 1000).toFixed(1)} s up, ${(large.downMs / 1000).toFixed(1)} s down`,
  }
  for (const size of sizeNames) yield* peaks(site, server, `${size}, ${kind}`, sizes[size])
  await site.load.ask('disconnect', { port: server.port })
  await server.stop()
}

async function* peaks(site: Site, server: BenchServer, name: string, bytes: number): AsyncGenerator<Row> {
  const paths = Array.from({ length: 32 }, (_, i) => `/v1/backend/default/memory/${bytes}/unit-${i}`)
  const load = { port: server.port, connections: CONNECTIONS, ms: 2 * site.pace.sliceMs, paths, bytes }
  await site.load.ask('fill', load)
  await resetPeak(server.pid)
  await site.load.ask('get', load)
  yield { part: 'e', name: `peak of 16 connections, GET ${name}`, value: await peakOf(server), unit: 'MB' }
  await resetPeak(server.pid)
  await site.load.ask('write', { ...load, doing: 'cycle' })
  yield {
    part: 'e',
    name: `peak of 16 connections, lock + POST + unlock ${name}`,
    value: await peakOf(server),
    unit: 'MB',
  }
}

/** Everything at once for minutes: what piles up slowly shows here. */
async function* soak(site: Site, kind: StoreKind): AsyncGenerator<Row> {
  const server = await site.server(await site.newStore(kind))
  const paths = Array.from({ length: 64 }, (_, i) => `/v1/backend/default/soak/unit-${i}`)
  const load = { port: server.port, connections: 8, paths, bytes: SOAK_BYTES, streams: 10 }
  await site.load.ask('prepare', load)
  await resetPeak(server.pid)
  const ms = site.isQuick ? 30_000 : 180_000
  const { count, requests } = await site.load.ask('mixed', { ...load, ms })
  yield {
    part: 'e',
    name: `peak in a soak of ${ms / 1000} s: 8 writers, lists, 10 event streams, ${kind}`,
    value: await peakOf(server),
    unit: 'MB',
    goal: { atMost: 200 },
    note: `${count} cycles, ${requests} lists`,
  }
  await site.load.ask('disconnect', { port: server.port })
  await rest()
  yield {
    part: 'e',
    name: `idle after the soak, ${kind}`,
    value: (await memoryOf(server.pid)).now / MB,
    unit: 'MB',
  }
  await server.stop()
}

async function* withUnits(site: Site, kind: StoreKind): AsyncGenerator<Row> {
  const server = await site.server(await site.storeWithUnits(kind, 10_000))
  await site.load.ask('listUnits', { port: server.port })
  await rest()
  const { ms, pages } = await site.load.ask('listUnits', { port: server.port })
  await rest()
  yield {
    part: 'e',
    name: `idle after listing 10,000 units, ${kind}`,
    value: (await memoryOf(server.pid)).now / MB,
    unit: 'MB',
    goal: { atMost: 130 },
    note: `${pages} pages over HTTP in ${ms.toFixed(0)} ms`,
  }
  await server.stop()
}

async function peakOf(server: BenchServer): Promise<number> {
  return (await memoryOf(server.pid)).peak / MB
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS))
}
