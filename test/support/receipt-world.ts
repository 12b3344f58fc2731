import { alice } from './caller.ts'
import { systemClock } from '../../src/base/clock.ts'
import { isTacoError } from '../../src/base/errors.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { bodyOf, type Bucket } from '../../src/bucket/index.ts'
import { createStateControl, LockInfo } from '../../src/state/index.ts'
import { createInputs } from '../../src/graph/inputs/inputs.ts'
import { createGraph } from '../../src/graph/status/graph.ts'
import { createSync } from '../../src/project/sync.ts'

/**
 * For tests only: the services as they are, used as the engines use them, beside the one truth: the values that each
 * state was really made from. Every unit reads all units before it, the first of them through a file of variables: `v`
 * takes one of its outputs or another, `s` a sensitive one.
 */
export const UNITS = 4
export const org = 'default'
export { alice }
const spool = { create: () => Promise.reject(new Error('nothing here is large enough for the spool')) }

export type Outputs = Readonly<Record<string, string>>
/** By upstream: the values that were used. */
export type Made = ReadonlyMap<number, Outputs>

export interface Written {
  readonly outputs: Outputs
  readonly made: Made
  /** Read during the apply, for what a saved plan could not read. */
  readonly deferred?: Made
  /** What the outputs were made from, if a refresh has changed them since. */
  readonly shown?: Made
}

/** One unit as it really is. */
interface World {
  readonly serial: number
  readonly name: string
  readonly isDeleted: boolean
  /** Its state was deleted, and there is no new one yet. */
  readonly isStateless: boolean
  readonly history: readonly Written[]
  readonly plan: { readonly made: Made; readonly serial: number } | undefined
  /** What the file of variables holds. */
  readonly file: Made
  /** Somebody fetched outputs for it since its last apply, or planned, and nobody knows what for. */
  readonly hasFetched: boolean
  /** The output that `v` takes, and whether a project says so or a person. */
  readonly mapping: 'x' | 'z'
  readonly isSynced: boolean
}

const EMPTY: World = {
  serial: 0,
  name: '',
  isDeleted: false,
  isStateless: false,
  history: [],
  plan: undefined,
  file: new Map(),
  hasFetched: false,
  mapping: 'x',
  isSynced: false,
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
  const inputs = createInputs(control)
  const project = createSync(control)
  const units = Array.from({ length: UNITS }, (_, i): World => ({ ...EMPTY, name: `u${i}` }))
  for (const { name } of units) await control.units.create({ org, name }, alice)
  for (let i = 1; i < UNITS; i++) await declare(i)
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
  function current(unit: number): Written | undefined {
    const { isDeleted, isStateless, history } = world(unit)
    return isDeleted || isStateless ? undefined : history.at(-1)
  }
  function standing(unit: number): Outputs | undefined {
    return current(unit)?.outputs
  }

  function mappingOf(unit: number) {
    return { v: world(unit).mapping, s: 'y' }
  }

  /** Declares what the variables take, by hand or by a project, and takes back what was declared before. */
  async function declare(unit: number): Promise<void> {
    const on = world(0).name
    if ((await control.units.get(ref(unit), alice)).dependencies.length > 0)
      await graph.dependencies.remove(ref(unit), { on }, alice)
    if (!world(unit).isSynced)
      return void (await graph.dependencies.add(ref(unit), { on, inputs: mappingOf(unit) }, alice))
    const dependencies = [{ on, outputs: null, inputs: mappingOf(unit) }]
    const wanted = [
      { name: on, labels: {}, dependencies: [] },
      { name: world(unit).name, labels: {}, dependencies },
    ]
    await project.sync(org, wanted, { dryRun: false }, alice)
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
      const found = await control.states.read(ref(up), { consumer: world(unit).name }, alice)
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
    const state = await control.states.receive(stream, { maxBytes: 1e9, org }, alice)
    await control.states.write(ref(unit), state, { how: 'backend', ...options }, alice)
    await state.dispose()
    note(unit, written)
  }

  /** As a program does that knows nothing of us. Somebody looks at the unit then, so that it is recorded. */
  async function writeAround(unit: number, written: Written): Promise<void> {
    const { key } = await control.units.get(ref(unit), alice)
    const tag = (await bucket.head(key))?.tag
    await bucket.put(key, bodyOf(bytesOf(unit, written)), tag ?? 'absent')
    await control.units.get(ref(unit), alice)
    note(unit, written)
  }

  function bytesOf(unit: number, written: Written): Buffer {
    const outputs = Object.fromEntries(
      Object.entries(written.outputs).map(([name, value]) => {
        const sensitive = unit === 0 && name === 'y' ? { sensitive: true } : {}
        return [name, { value, type: 'string', ...sensitive }]
      }),
    )
    const serial = world(unit).serial + 1
    return Buffer.from(JSON.stringify({ version: 4, serial, lineage: `L${unit}`, outputs, resources: [] }))
  }

  function note(unit: number, written: Written): void {
    const { serial, history } = world(unit)
    change(unit, { serial: serial + 1, history: [...history, written], isStateless: false })
  }

  async function fetch(unit: number, up: number): Promise<Outputs | undefined> {
    const outputs = standing(up)
    // Of one that comes later it would close a cycle, and nobody is up to date in one.
    if (outputs === undefined || up >= unit) return undefined
    await control.outputs.get(ref(up), { sensitive: false, consumer: world(unit).name }, alice)
    change(unit, { hasFetched: true })
    return outputs
  }

  /** The values for its variables, which come from the first unit: for a file, or for a run. */
  async function take(unit: number, run?: string): Promise<Made> {
    if (unit === 0 || standing(0) === undefined) return new Map()
    const options = { sensitive: true, complete: true, ...(run === undefined ? {} : { run }) }
    const { inputs: given } = await inputs.resolve(ref(unit), options, alice)
    const values = given.map(({ variable, json = '' }) => [variable, String(JSON.parse(json))] as const)
    return new Map([[0, Object.fromEntries(values)]])
  }

  /** Without leave to have the sensitive one: nothing is given, and nothing may be noted. */
  async function takeRefused(unit: number): Promise<void> {
    await inputs.resolve(ref(unit), { sensitive: false, complete: true }, alice).then(
      () => Promise.reject(new Error('this must be refused')),
      (error: unknown) => {
        if (!isTacoError(error, 'FORBIDDEN')) throw error
      },
    )
  }

  /** The state is the same, and it would have been made alike from these values. */
  function remake(unit: number, made: Made): void {
    const { history } = world(unit)
    const last = current(unit)
    if (last !== undefined) change(unit, { history: [...history.slice(0, -1), { ...last, made }] })
  }

  return {
    control,
    graph,
    clock,
    world,
    ref,
    change,
    current,
    standing,
    given: (unit: number, outputs: Outputs | undefined) => outputs && givenBy(outputs, mappingOf(unit)),
    declare,
    takeRefused,
    locked,
    read,
    write,
    writeAround,
    fetch,
    take,
    remake,
  }
}

/** What variables get that take these outputs. */
function givenBy(outputs: Outputs, mapping: Readonly<Record<string, string>>): Outputs {
  const values = Object.entries(mapping).map(([variable, output]) => [variable, outputs[output] ?? ''])
  return Object.fromEntries(values) as Outputs
}

export type Estate = Awaited<ReturnType<typeof openEstate>>
