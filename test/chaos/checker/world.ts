import { createHash } from 'node:crypto'
import { encodeTime } from '../../../src/base/ids.ts'
import { silentLog } from '../../../src/base/log.ts'
import type { StateControl } from '../../../src/state/index.ts'
import type { StateSettings } from '../../../src/state/settings.ts'
import type { UnitDocument } from '../../../src/state/documents/model.ts'
import type { CreateControl } from './mutant.ts'
import type { Schedule } from './schedule.ts'
import { createSchedule } from './schedule.ts'
import { openGate, openScheduledBucket } from './scheduled-bucket.ts'
import type { Store, StoreOptions } from './store.ts'
import { createStore } from './store.ts'

export const unit = { org: 'default', unit: 'prod/net' }
export const stateKey = 'prod/net/terraform.tfstate'
export const tflockKey = `${stateKey}.tflock`

/** A lock as its holder believes to have it, in steps of the run. */
export interface Hold {
  readonly who: string
  readonly id: string
  readonly from: number
  to: number
}

export interface Acknowledged {
  readonly who: string
  readonly hash: string
  readonly version: string
}

/** One run: a store, a schedule, and all answers. */
export interface World {
  readonly store: Store
  /** As it was before the run. */
  readonly first: Store
  readonly schedule: Schedule
  readonly holds: Hold[]
  readonly acknowledged: Acknowledged[]
  /** Who sent which content: no one else may be credited with it. */
  readonly authors: Map<string, Set<string>>
  /** Every content that the state object had, in order. */
  readonly landed: { readonly step: number; readonly hash: string | undefined }[]
  /** Every document of the unit that was ever written. */
  readonly documents: UnitDocument[]
  /** Every change of an object, in order; undefined: it was deleted. */
  readonly changes: { readonly step: number; readonly key: string; readonly bytes: Buffer | undefined }[]
  /** Locks whose clients do not know whether they hold them: an answer was lost, or a client crashed. */
  readonly lostLocks: Set<string>
  readonly forced: { readonly at: number; id: string | null | undefined }[]
  now(): number
  passTime(ms: number): void
  /** A server of this actor in front of the scheduled bucket; `as` distinguishes its ids from another server's. */
  server(actor: string, settings?: Partial<StateSettings>, as?: string): Promise<StateControl>
  /** A server for the checks at the end: its operations run without interruption. */
  healthy(name?: string, settings?: Partial<StateSettings>): Promise<StateControl>
}

/** What is in the store before a run; every run begins with a copy. */
export interface Beginning {
  readonly store: Store
  readonly createControl: CreateControl
}

const START = Date.UTC(2026, 0, 1)
const DELETE_OUTLIVES_MS = 400

export async function prepare(
  createControl: CreateControl,
  options: StoreOptions,
  before: (world: World) => Promise<void> = async () => {},
): Promise<Beginning> {
  const store = createStore(
    options,
    () => {},
    () => START,
  )
  const world = beginWorld({ store, createControl }, store)
  await before(world)
  return { store: world.store, createControl }
}

/** `visible`: keys whose operations take turns, beyond the unit's document, its state and its lock. */
export function beginWorld(
  beginning: Beginning,
  own?: Store,
  visible: (key: string) => boolean = () => false,
): World {
  // A run begins an hour after the preparation, so that their events have different times.
  let now = own === undefined ? START + 3_600_000 : START
  const landed: World['landed'] = []
  const documents: UnitDocument[] = []
  const changes: World['changes'] = []
  const counts = new Map<string, number>()
  const passTime = (ms: number) => void (now += Math.ceil(ms))

  function watch(key: string, bytes: Buffer | undefined): void {
    changes.push({ step: schedule.steps(), key, bytes })
    if (key === stateKey) landed.push({ step: schedule.steps(), hash: bytes && hashOf(bytes) })
    if (key.startsWith('.taco/orgs/default/units/') && bytes !== undefined)
      documents.push(JSON.parse(bytes.toString()) as UnitDocument)
  }
  const store = own ?? beginning.store.copy(watch, () => now)
  // What exclusion against outsiders rests on where deletes cannot be conditional: the owner of a release sends none
  // that is not over by then.
  const deletesWithinMs = store.conditionalDelete ? Infinity : DELETE_OUTLIVES_MS / 2
  const schedule = createSchedule((key) => isQuiet(key) && !visible(key), passTime, deletesWithinMs)

  function next(of: string): number {
    const count = (counts.get(of) ?? 0) + 1
    counts.set(of, count)
    return count
  }
  const idsOf = (name: string) => ({
    id: (prefix: string) =>
      `${prefix}-${(name.replaceAll(/[^A-Za-z0-9]/g, '') + String(next(name)).padStart(16, '0')).slice(0, 4)}${String(next(`${name}.`)).padStart(12, '0')}`,
    ulid: (at: number) => encodeTime(at) + String(next('ulid')).padStart(16, '0'),
  })

  async function open(
    name: string,
    gate: typeof openGate,
    sleep: (ms: number) => Promise<void>,
    settings = {},
  ) {
    return beginning.createControl({
      bucket: openScheduledBucket(store, gate),
      clock: { now: () => now, sleep },
      ids: idsOf(name),
      log: silentLog,
      spool: { create: () => Promise.reject(new Error('nothing here is large enough for the spool')) },
      settings: {
        tidyAfterMs: null,
        flushEvents: false,
        gatherEventsMs: 0,
        catalogLagMs: 0,
        deleteOutlivesMs: DELETE_OUTLIVES_MS,
        ...settings,
      },
    })
  }

  return {
    store,
    first: beginning.store,
    schedule,
    landed,
    documents,
    changes,
    holds: [],
    acknowledged: [],
    authors: new Map(),
    forced: [],
    lostLocks: new Set(),
    now: () => now,
    passTime,
    server: (actor, settings, as = actor) =>
      open(as, schedule.gate(actor), (ms) => schedule.sleep(actor, ms), settings),
    healthy: (name = 'healthy', settings) => open(name, openGate, async (ms) => passTime(ms), settings),
  }
}

/** Objects that one actor makes and others see only through the unit's document; and the organization, which stays. */
function isQuiet(key: string): boolean {
  return key.startsWith('.taco/') && !key.startsWith('.taco/orgs/default/units/')
}

export function hashOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function stateText(serial: number, value: string, more: object = {}): string {
  const attributes = { id: 'one', input: value }
  const instances = [{ schema_version: 0, attributes }]
  const resources = [{ mode: 'managed', type: 'terraform_data', name: 'one', provider: 'p', instances }]
  return JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'L',
    outputs: {},
    resources,
    ...more,
  })
}
