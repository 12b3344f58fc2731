import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/peers/free-port.ts'
import { temporaryFolder, until } from '../test/peers/program.ts'
import { startS3 } from '../test/peers/s3.ts'
import type { BareHandlers } from './programs/bare.ts'
import { openDistance } from './distance.ts'
import type { DriverHandlers } from './programs/driver.ts'
import type { LoadHandlers } from './programs/load.ts'
import { type Running, startRunning } from './programs/programs.ts'
import type { Pace } from './slices.ts'

export const storeKinds = ['file', 's3'] as const
export type StoreKind = (typeof storeKinds)[number]

export interface Store {
  readonly kind: StoreKind
  readonly url: string
  readonly env: Readonly<Record<string, string>>
}

export interface BenchServer {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

/** What the parts of the benchmark share: stores, processes, and how long to measure. */
export interface Site {
  readonly pace: Pace
  readonly isQuick: boolean
  readonly kinds: readonly StoreKind[]
  readonly load: Running<LoadHandlers>
  /** Port of the server that answers from a constant buffer. */
  bare(): Promise<number>
  /** A new, empty bucket. */
  newStore(kind: StoreKind): Promise<Store>
  /** The same bucket over a way that takes so long there and back; S3 only. */
  distant(store: Store, ms: number): Promise<Store>
  /** A bucket with that many units; the same one when requested again. */
  storeWithUnits(kind: StoreKind, count: number): Promise<Store>
  driver(store: Store): Promise<Running<DriverHandlers>>
  server(store: Store, env?: Readonly<Record<string, string>>): Promise<BenchServer>
  close(): Promise<void>
}

export async function openSite(options: Pick<Site, 'isQuick' | 'kinds'>): Promise<Site> {
  const folder = await temporaryFolder('bench')
  const endings: (() => Promise<unknown>)[] = [() => folder.remove()]
  const load = await startRunning<LoadHandlers>('load')
  endings.push(load.stop)
  let stores = 0
  let barePort: Promise<number> | undefined
  let s3: ReturnType<typeof startS3> | undefined
  const populated = new Map<string, Promise<Store>>()

  async function newStore(kind: StoreKind): Promise<Store> {
    const name = `bench-${++stores}`
    if (kind === 'file') return { kind, url: `file://${join(folder.path, name)}`, env: {} }
    s3 ??= startS3().then((peer) => {
      endings.push(() => peer.dispose())
      return peer
    })
    const peer = await s3
    return { kind, url: peer.url.replace('?', `/${name}?`), env: peer.env }
  }

  async function driver(store: Store): Promise<Running<DriverHandlers>> {
    const running = await startRunning<DriverHandlers>('driver', store.env)
    endings.push(running.stop)
    await running.ask('open', { url: store.url })
    return running
  }

  return {
    pace: options.isQuick ? { rounds: 3, sliceMs: 700 } : { rounds: 7, sliceMs: 2000 },
    isQuick: options.isQuick,
    kinds: options.kinds,
    load,
    bare() {
      barePort ??= startRunning<BareHandlers>('bare').then((bare) => {
        endings.push(bare.stop)
        return bare.ask('listen', null)
      })
      return barePort
    },
    newStore,
    async distant(store, ms) {
      const { port } = new URL(new URL(store.url).searchParams.get('endpoint') ?? '')
      const distance = await openDistance(Number(port), ms / 2)
      endings.push(distance.close)
      return { ...store, url: store.url.replace(`%3A${port}`, `%3A${distance.port}`) }
    },
    storeWithUnits(kind, count) {
      const name = `${kind} ${count}`
      const known = populated.get(name)
      if (known !== undefined) return known
      const making = newStore(kind).then(async (store) => {
        const seeding = await driver(store)
        await seeding.ask('seed', { count })
        await seeding.stop()
        return store
      })
      populated.set(name, making)
      return making
    },
    driver,
    async server(store, env = {}) {
      const server = await startServer({ ...store, env: { ...store.env, ...env } }, folder.path)
      endings.push(server.stop)
      return server
    },
    async close() {
      for (const end of endings.toReversed()) await end().catch(() => {})
    },
  }
}

/** Another build of it can be measured for comparison. */
const TACO = process.env['TACO_BENCH_PROGRAM'] ?? fileURLToPath(new URL('../bin/taco', import.meta.url))

/** The built program, as people run it; its log goes to a file, as it would. */
async function startServer(store: Store, folder: string): Promise<BenchServer> {
  const port = await freePort()
  const auth = store.env['TACO_AUTH'] ?? 'none'
  const log = await open(join(folder, `server-${port}.log`), 'w')
  const args = ['serve', '--bucket', store.url, '--listen', `127.0.0.1:${port}`, '--auth', auth]
  const child = spawn(process.execPath, [TACO, ...args], {
    stdio: ['ignore', log.fd, log.fd],
    env: { ...process.env, ...store.env },
    cwd: folder,
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the server ended at once; see ${folder}/server-${port}.log`)
    return fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
  }, 'the server to be ready')
  await log.close()
  let stopping: Promise<void> | undefined
  async function stop(): Promise<void> {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(timer)
    process.off('exit', kill)
  }
  return { port, pid: child.pid ?? 0, stop: () => (stopping ??= stop()) }
}
