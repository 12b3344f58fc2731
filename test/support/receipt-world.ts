import { alice } from './caller.ts'
import { systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { bodyOf, type Bucket } from '../../src/bucket/index.ts'
import { createStateControl, LockInfo } from '../../src/state/index.ts'
import { createGraph } from '../../src/graph/status/graph.ts'

/**
 * For tests only: the services as they are, used as the engines use them, beside the one truth: the values that each
 * state was really made from. Every unit reads all units before it, the first of them through a file of variables.
 */
export const UNITS = 4
export const org = 'default'
export { alice }
const spool = { create: () => Promise.reject(new Error('nothing here is large enough for the spool')) }

export type Outputs = Readonly<Record<string, string>>
/** By upstream: the values that were used. */
export type Made = ReadonlyMap<number, Outputs>

interface Written {
  readonly outputs: Outputs
  readonly made: Made
}

/** One unit as it really is. */
interface World {
  readonly serial: number
  readonly name: string
  readonly isDeleted: boolean
  readonly history: readonly Written[]
  readonly plan: { readonly made: Made; readonly serial: number } | undefined
  /** What the file of variables holds. */
  readonly file: Made
  /** Somebody fetched outputs for it since its last apply, or planned, and nobody knows what for. */
  readonly hasFetched: boolean
}

const EMPTY: World = {
  serial: 0,
  name: '',
  isDeleted: false,
  history: [],
  plan: undefined,
  file: new Map(),
  hasFetched: false,
}

export async function openEstate(bucket: Bucket) {
  // Every look at the clock is another moment, so that nothing depends on how fast this runs.
  let time = 0
  const clock = { ...systemClock, now: () => ++time }
  const control = await createStateControl({
    bucket,
    clock,
    ids: randomIds,
    log: silentLog,
    spool,
    settings: { tidyAfterMs: null, catalogLagMs: 0, catalogVerifyMs: 0 },
  })
  const graph = createGraph({ control })
  const units = Array.from({ length: UNITS }, (_, i): World => ({ ...EMPTY, name: `u${i}` }))
  for (const { name } of units) await control.units.create({ org, name }, alice)
  for (let i = 1; i < UNITS; i++) await graph.dependencies.add(ref(i), { on: 'u0' }, alice)
  let locks = 0

  function world(unit: number): World {
    return units[unit] ?? EMPTY
  }
  function ref(unit: number) {
    return { org, unit: world(unit).name }
  }
  function change(unit: number, changes: Partial<World>): void {
    units[unit] = { ...world(unit), ...changes }
  }
  function standing(unit: number): Outputs | undefined {
    return world(unit).isDeleted ? undefined : world(unit).history.at(-1)?.outputs
  }

  async function locked(unit: number, operation: string, work: (lockId: string) => Promise<void>) {
    const info = LockInfo.parse({ ID: `lock-${++locks}`, Operation: operation })
    await control.locks.lock(ref(unit), info, {}, alice)
    await work(info.ID)
    await control.locks.unlock(ref(unit), info.ID, alice)
  }

  /** As `terraform_remote_state` does. The first unit is read as a file of variables instead. */
  async function read(unit: number): Promise<Made> {
    const made = new Map(world(unit).file)
    for (let up = 1; up < unit; up++) {
      const outputs = standing(up)
      if (outputs === undefined) continue
      const found = await control.states.read(ref(up), { consumer: world(unit).name })
      if (found !== undefined && found !== 'unchanged') found.discard()
      made.set(up, outputs)
    }
    return made
  }

  async function write(
    unit: number,
    written: Written,
    options: { lockId?: string; how?: 'push'; force?: boolean } = {},
  ) {
    const stream = (async function* (bytes: Buffer) {
      yield bytes
    })(bytesOf(unit, written))
    const state = await control.states.receive(stream, { maxBytes: 1e9, org })
    await control.states.write(ref(unit), state, { how: 'backend', ...options }, alice)
    await state.dispose()
    note(unit, written)
  }

  /** As a program does that knows nothing of us. Somebody looks at the unit then, so that it is recorded. */
  async function writeAround(unit: number, written: Written): Promise<void> {
    const { key } = await control.units.get(ref(unit))
    const tag = (await bucket.head(key))?.tag
    await bucket.put(key, bodyOf(bytesOf(unit, written)), tag ?? 'absent')
    await control.units.get(ref(unit))
    note(unit, written)
  }

  function bytesOf(unit: number, written: Written): Buffer {
    const outputs = Object.fromEntries(
      Object.entries(written.outputs).map(([name, value]) => [name, { value, type: 'string' }]),
    )
    const serial = world(unit).serial + 1
    return Buffer.from(JSON.stringify({ version: 4, serial, lineage: `L${unit}`, outputs, resources: [] }))
  }

  function note(unit: number, written: Written): void {
    const { serial, history } = world(unit)
    change(unit, { serial: serial + 1, history: [...history, written] })
  }

  async function fetch(unit: number, up: number): Promise<Outputs | undefined> {
    const outputs = standing(up)
    if (outputs === undefined || up === unit) return undefined
    await control.outputs.get(ref(up), { sensitive: false, consumer: world(unit).name }, alice)
    change(unit, { hasFetched: true })
    return outputs
  }

  /** As a run does for its inputs, which come from the first unit; the rest its engine reads. */
  async function take(unit: number, run: string): Promise<Made> {
    const made = new Map<number, Outputs>()
    const outputs = unit === 0 ? undefined : standing(0)
    if (outputs === undefined) return made
    const { id, commit } = await control.units
      .get(ref(0))
      .then((found) => ({ ...found, commit: found.commit ?? 0 }))
    const digests = Object.fromEntries(
      ((await control.graph.facts(ref(0)))?.head?.outputs ?? []).map(({ name, digest }) => [name, digest]),
    )
    await control.outputs.recordReads(ref(unit), [{ from: id, names: null, commit, digests }], { run })
    return made.set(0, outputs)
  }

  /** The state is the same, and it would have been made alike from these values. */
  function remake(unit: number, made: Made): void {
    const { history } = world(unit)
    const last = history.at(-1)
    if (last !== undefined) change(unit, { history: [...history.slice(0, -1), { ...last, made }] })
  }

  return {
    control,
    graph,
    clock,
    world,
    ref,
    change,
    standing,
    locked,
    read,
    write,
    writeAround,
    fetch,
    take,
    remake,
  }
}

export type Estate = Awaited<ReturnType<typeof openEstate>>
