import { alice } from '../test/support/caller.ts'
import { callerNamed } from '../test/support/caller.ts'
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/base/clock.ts'
import { randomIds } from '../src/base/ids.ts'
import { silentLog } from '../src/base/log.ts'
import { openMemoryBucket } from '../src/bucket/adapters/memory.ts'
import { type Bucket, bodyOf } from '../src/bucket/index.ts'
import { createHttpFace, createMetrics, defaultLimits, openGuard } from '../src/entry/http/index.ts'
import { createLiveGraph } from '../src/graph/status/live-graph.ts'
import { asUnits, dependsOn, factsOf, headOf, readOf } from '../test/support/graph.ts'
import { createGraph } from '../src/graph/index.ts'
import { createServices } from '../src/wire/services.ts'
import { type GraphFacts, LockInfo, type StateControl, createStateControl } from '../src/state/index.ts'
import { type Counted, counted } from './counted-bucket.ts'

export interface GraphRow {
  readonly name: string
  readonly value: number
  readonly unit: 'requests' | 'ms' | 'bytes'
  /** The row is good when the value is at most this. */
  readonly limit?: number
}

/** Status of a large estate: from documents in memory, on a cold server, and warm over HTTP and the command line. */
export async function run(units = 10_000, isQuick = false): Promise<GraphRow[]> {
  const facts = estate(units)
  return [
    ...inMemory(facts),
    ...(await served(facts, isQuick ? 3 : 9)),
    ...(await ofThePast(isQuick ? 100 : 500)),
  ]
}

/** Each unit uses three of those before it, two outputs of each. */
export function estate(count: number): GraphFacts[] {
  let seed = 1
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  const idOf = (i: number) => `ws-${i.toString(36).padStart(16, '0')}`
  const digest = (i: number, output: number) => `${i}-${output}-`.padEnd(44, 'd')
  return Array.from({ length: count }, (_, i) => {
    const ups = new Set<number>()
    while (ups.size < Math.min(3, i)) ups.add(random(i))
    const outputs = Object.fromEntries(
      [0, 1, 2, 3, 4].map((output) => [`output_${output}`, digest(i, output)]),
    )
    const names = ['output_0', 'output_1']
    return factsOf(idOf(i), {
      name: `team-${i % 20}/unit-${i}`,
      head: headOf(outputs),
      dependencies: [...ups].map((up) => dependsOn(idOf(up), names)),
      reads: [...ups].map((up) =>
        readOf(idOf(up), { output_0: digest(up, 0), output_1: digest(up, 1) }, { names }),
      ),
    })
  })
}

function inMemory(facts: readonly GraphFacts[]): GraphRow[] {
  const units = asUnits(facts)
  const edges = facts.reduce((sum, { dependencies }) => sum + dependencies.length, 0)
  const live = createLiveGraph()
  const full = times(15, () => createLiveGraph().update(units))
  live.update(units)
  const changed = Array.from({ length: 300 }, (_, i) => {
    const at = (i * 7919) % units.length
    const next = [...units]
    next.splice(at, 1, ...asUnits([withOutput(facts[at], String(i))]))
    return next
  })
  const single = changed.map((next) => times(1, () => live.update(next))[0] ?? 0)
  live.update(units)
  const root = [...units]
  root.splice(0, 1, ...asUnits([withOutput(facts[0], 'root')]))
  const all = times(1, () => live.update(root))
  const size = `${units.length} units, ${edges} edges`
  return [
    { name: `status of ${size}, in full (median)`, value: median(full), unit: 'ms', limit: 50 },
    { name: 'status after one change (median)', value: median(single), unit: 'ms', limit: 5 },
    { name: 'status after a change of the unit that all others follow', value: median(all), unit: 'ms' },
  ]
}

export function withOutput(facts: GraphFacts | undefined, value: string): GraphFacts {
  if (facts === undefined || facts.head === null) throw new Error('there is no such unit')
  const outputs = (facts.head.outputs ?? []).map((output, i) =>
    i === 0 ? { ...output, digest: value } : output,
  )
  return { ...facts, head: { ...facts.head, outputs } }
}

async function served(facts: readonly GraphFacts[], rounds: number): Promise<GraphRow[]> {
  const store = openMemoryBucket()
  await fill(store, facts)
  const first = await coldAnswer(store, facts.length)
  const cold = await coldAnswer(store, facts.length)
  const control = await openControl(store)
  const face = createHttpFace({
    control,
    ...createServices({ bucket: store, clock: systemClock, ids: randomIds, control }),
    guard: openGuard(),
    limits: defaultLimits,
    metrics: createMetrics('bench'),
    log: silentLog,
    clock: systemClock,
    ids: randomIds,
    about: { version: 'bench', bucket: { kind: 'memory', label: 'memory:' } },
    ready: () => Promise.resolve(),
  })
  await new Promise<void>((resolve) => face.server.listen(0, '127.0.0.1', resolve))
  const address = face.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    let bytes = await download(port, '/v1/graph')
    const graph = await timesAsync(rounds * 3, async () => (bytes = await download(port, '/v1/graph')))
    const taco = fileURLToPath(new URL('../bin/taco', import.meta.url))
    const status = [taco, '--server', `http://127.0.0.1:${port}`, 'status']
    await program(status)
    const commands = await timesAsync(rounds, () => program(status))
    const starts = await timesAsync(rounds, () => program(['-e', '0']))
    return [
      { name: 'first answer of a cold server, nothing prepared', value: first.requests, unit: 'requests' },
      { name: 'first answer of a cold server, nothing prepared', value: first.ms, unit: 'ms' },
      { name: 'first answer of a cold server, with a catalog', value: cold.requests, unit: 'requests' },
      { name: 'first answer of a cold server, with a catalog', value: cold.ms, unit: 'ms' },
      { name: 'GET /v1/graph, warm (median)', value: median(graph), unit: 'ms' },
      { name: 'GET /v1/graph, size', value: bytes, unit: 'bytes' },
      { name: 'taco status, warm server (median)', value: median(commands), unit: 'ms' },
      { name: 'node -e 0, for comparison (median)', value: median(starts), unit: 'ms' },
    ]
  } finally {
    await face.close(0)
    await control.close()
  }
}

/** `status --at`, with the reasons: every unit was applied four times, and half of them are stale at that time. */
async function ofThePast(units: number): Promise<GraphRow[]> {
  const store = openMemoryBucket()
  const writer = await openControl(store)
  const times: number[] = []
  for (let serial = 1; serial <= 4; serial++) {
    for (let i = 0; i < units; i++) await applyUnit(writer, i, serial)
    times.push(Date.now())
    await new Promise((resolve) => setTimeout(resolve, 5))
    // What the odd ones read changes once more.
    for (let i = 0; i < units; i += 2) await applyUnit(writer, i, serial + 100)
    times.push(Date.now())
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await writer.close()
  const ask = async (over: Counted, control: StateControl, at = 0) => {
    over.take()
    const started = performance.now()
    const { counts, items } = await createGraph({ control }).status({ org: 'default', at }, alice)
    const ms = performance.now() - started
    if (items.length !== units || counts.stale !== units / 2)
      throw new Error('not half of the units are stale')
    return { ms, requests: over.take().length }
  }
  const open = async () => {
    const over = counted(store)
    return { over, control: await openControl(over.bucket) }
  }
  const early = await open()
  const first = await ask(early.over, early.control, times[3])
  const warm = await ask(early.over, early.control, times[1])
  await early.control.close()
  const late = await open()
  const cold = await ask(late.over, late.control, times[3])
  await late.control.close()
  const name = `status --at of ${units} units with ${units * 6} versions`
  return [
    { name: `${name}, nothing prepared`, value: first.requests, unit: 'requests' },
    { name: `${name}, nothing prepared`, value: first.ms, unit: 'ms' },
    { name: `${name}, cold server`, value: cold.requests, unit: 'requests', limit: 50 },
    { name: `${name}, cold server`, value: cold.ms, unit: 'ms' },
    { name: `${name}, warm server`, value: warm.requests, unit: 'requests', limit: 50 },
    { name: `${name}, warm server`, value: warm.ms, unit: 'ms' },
  ]
}

/** An odd unit reads the one before it. */
async function applyUnit(control: StateControl, i: number, serial: number): Promise<void> {
  const ref = { org: 'default', unit: `team/unit-${i}` }
  const lock = `lock-${i}-${serial}`
  const info = LockInfo.parse({ ID: lock, Operation: 'OperationTypeApply' })
  await control.locks.lock(ref, info, { createUnit: true }, callerNamed('bench'))
  if (i % 2 === 1)
    await control.states.read({ org: 'default', unit: `team/unit-${i - 1}` }, { consumer: ref.unit }, alice)
  const outputs = { value: { value: `v${serial}`, type: 'string' } }
  const text = JSON.stringify({
    version: 4,
    serial: (serial % 100) * 2 + (serial > 100 ? 1 : 0),
    lineage: 'l',
    outputs,
    resources: [],
  })
  const stream = (async function* () {
    yield Buffer.from(text)
  })()
  const state = await control.states.receive(stream, { maxBytes: 1e6, org: 'default' }, alice)
  await control.states.write(ref, state, { how: 'backend', lockId: lock }, callerNamed('bench'))
  await control.locks.unlock(ref, lock, callerNamed('bench'))
}

export function openControl(bucket: Bucket) {
  const spool = { create: () => Promise.reject(new Error('nothing here is large enough for the spool')) }
  return createStateControl({ bucket, clock: systemClock, ids: randomIds, log: silentLog, spool })
}

/** One unit made the ordinary way is the pattern of all: ten thousand applies would take longer than the rest. */
export async function fill(bucket: Bucket, facts: readonly GraphFacts[]): Promise<void> {
  const control = await openControl(bucket)
  const ref = { org: 'default', unit: 'pattern' }
  const text = JSON.stringify({ version: 4, serial: 1, lineage: 'l', outputs: {}, resources: [] })
  const stream = (async function* () {
    yield Buffer.from(text)
  })()
  const state = await control.states.receive(stream, { maxBytes: 1e6, org: 'default' }, alice)
  await control.states.write(ref, state, { how: 'push', createUnit: true }, callerNamed('bench'))
  const { id } = await control.units.get(ref, alice)
  await control.close()
  const key = `.taco/orgs/default/units/${id}.json`
  const found = await bucket.get(key)
  if (found === undefined) throw new Error(`${key} is not there`)
  const pattern = JSON.parse((await found.bytes()).toString()) as { head: object }
  for (const { id: unit, name, head, dependencies, reads } of facts) {
    const receipt = { lock: 'bench', reads }
    const outputs = { commit: head?.commit, outputs: head?.outputs }
    const doc = { ...pattern, id: unit, name, key: `${name}/terraform.tfstate`, dependencies, receipt }
    const bytes = Buffer.from(JSON.stringify({ ...doc, head: { ...pattern.head, ...outputs }, outbox: [] }))
    await bucket.put(`.taco/orgs/default/units/${unit}.json`, bodyOf(bytes), 'absent')
  }
  await bucket.delete(key, found.tag)
}

async function coldAnswer(store: Bucket, units: number): Promise<{ requests: number; ms: number }> {
  const { bucket, requests } = countedPages(store)
  const control = await openControl(bucket)
  const before = requests()
  const started = performance.now()
  const { nodes } = await createGraph({ control }).view({ org: 'default' }, alice)
  const ms = performance.now() - started
  const asked = requests() - before
  if (nodes.length !== units) throw new Error(`${nodes.length} units instead of ${units}`)
  if (nodes.some(({ status }) => status !== 'up-to-date')) throw new Error('not all units are up to date')
  await control.close()
  return { requests: asked, ms }
}

function countedPages(store: Bucket): { readonly bucket: Bucket; readonly requests: () => number } {
  let requests = 0
  const count =
    <A extends unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      requests++
      return work(...args)
    }
  const changes: Partial<Bucket> = {
    get: count(store.get.bind(store)),
    head: count(store.head.bind(store)),
    put: count(store.put.bind(store)),
    delete: count(store.delete.bind(store)),
    async *list(prefix, options) {
      for await (const page of store.list(prefix, { pageSize: 1000, ...options })) {
        requests++
        yield page
      }
    },
  }
  return { bucket: Object.assign(Object.create(store) as Bucket, changes), requests: () => requests }
}

function download(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path }, (reply) => {
      let bytes = 0
      reply.on('data', (part: Buffer) => (bytes += part.length))
      reply.on('error', reject)
      reply.on('end', () =>
        reply.statusCode === 200 ? resolve(bytes) : reject(new Error(`${path} answered ${reply.statusCode}`)),
      )
    })
    call.on('error', reject)
    call.end()
  })
}

function program(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(' ')} ended with ${code}`)),
    )
  })
}

function times(count: number, work: () => unknown): number[] {
  return Array.from({ length: count }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
}

export async function timesAsync(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let i = 0; i < count; i++) {
    const started = performance.now()
    await work()
    taken.push(performance.now() - started)
  }
  return taken
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
