import type { Row } from './report.ts'
import type { Site, StoreKind } from './site.ts'
import { interleaved, median, percent } from './slices.ts'

export const sizes = { '50 kB': 50_000, '5 MB': 5_000_000 } as const
export type SizeName = keyof typeof sizes
export const sizeNames = Object.keys(sizes) as SizeName[]

const UNITS = { '50 kB': 64, '5 MB': 32 } as const
const CONNECTIONS = 16

const GOALS: Readonly<Record<StoreKind, Readonly<Record<SizeName, number>>>> = {
  file: { '50 kB': 45, '5 MB': 45 },
  s3: { '50 kB': 80, '5 MB': 50 },
}

/** (a) Reading states through the server. */
export async function* reads(site: Site): AsyncGenerator<Row> {
  for (const kind of site.kinds) {
    const store = await site.newStore(kind)
    const server = await site.server(store)
    const driver = await site.driver(store)
    for (const size of sizeNames) {
      const bytes = sizes[size]
      const units = Array.from({ length: UNITS[size] }, (_, i) => `read/${bytes}/unit-${i}`)
      const load = { port: server.port, connections: CONNECTIONS, ms: 0 }
      const paths = units.map((unit) => `/v1/backend/default/${unit}`)
      await site.load.ask('fill', { ...load, paths, bytes })
      const bare = await site.bare()
      const keys = units.map((unit) => `${unit}/terraform.tfstate`)
      const constant = paths.map(() => `/${bytes}`)
      const rates = await interleaved(site.pace, {
        server: (ms) => site.load.ask('get', { ...load, paths, ms }),
        driver: (ms) => driver.ask('get', { keys, concurrency: CONNECTIONS, ms }),
        bare: (ms) => site.load.ask('get', { ...load, port: bare, paths: constant, ms }),
      })
      const against = kind === 'file' ? rates.bare : rates.driver
      const named = kind === 'file' ? 'bare node:http' : "the driver's own GET"
      yield {
        part: 'a',
        name: `GET ${size}, ${kind}, against ${named}`,
        value: percent(rates.server, against),
        unit: '%',
        goal: { atLeast: GOALS[kind][size] },
        note: `${median(rates.server).toFixed(0)} of ${median(against).toFixed(0)} /s`,
      }
      const other = kind === 'file' ? rates.driver : rates.bare
      yield {
        part: 'a',
        name: `GET ${size}, ${kind}, against ${kind === 'file' ? "the driver's own GET" : 'bare node:http'}`,
        value: percent(rates.server, other),
        unit: '%',
        note: `of ${median(other).toFixed(0)} /s`,
      }
    }
    await driver.stop()
    await site.load.ask('disconnect', { port: server.port })
    await server.stop()
  }
}
