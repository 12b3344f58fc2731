import { alice } from '../../support/caller.ts'
import { callerNamed } from '../../support/caller.ts'
import { expect } from 'vitest'
import { LockInfo, type StateControl } from '../../../src/state/index.ts'
import { UnitDocument } from '../../../src/state/documents/model.ts'
import { LEASED_OUTSIDE } from './clients.ts'
import type { World } from './world.ts'
import { hashOf, stateKey, stateText, tflockKey, unit } from './world.ts'

/** What a scenario allows beyond the promises, because it goes beyond what can be promised. */
export interface Allowances {
  /** An outsider that ignores locks takes part: exclusion against it is not promised. */
  readonly lockless?: boolean
  /** The unit has been deleted or renamed by the end: what is left is checked by the scenario. */
  readonly isGone?: boolean
}

/** The five promises of the protocol, checked on the bucket when every actor has ended or crashed. */
export async function checkPromises(world: World, allow: Allowances = {}): Promise<void> {
  checkDocuments(world)
  if (allow.lockless !== true) checkExclusion(world)
  if (allow.isGone === true) return
  const server = await sweepUp(world)
  await checkHistory(world, server)
  await checkUsable(world, server)
}

function checkDocuments({ documents }: World): void {
  const epochs = new Map<string, number>()
  for (const doc of documents) {
    if (doc.write !== null && doc.lock === null) throw new Error('a document has an intent and no lock')
    const epoch = epochs.get(doc.id) ?? 0
    if (doc.epoch < epoch) throw new Error(`the epoch fell from ${epoch} to ${doc.epoch}`)
    epochs.set(doc.id, doc.epoch)
  }
}

/** 2: never two holders that both respect locks. A lock that was broken by force ends then, at the latest. */
function checkExclusion({ holds, forced }: World): void {
  const lawful = holds.map((hold) => {
    const broken = forced.filter(({ id }) => id === undefined || id === hold.id).map(({ at }) => at)
    return { ...hold, to: Math.min(hold.to, ...broken.map((at) => Math.max(at, hold.from))) }
  })
  for (const [i, a] of lawful.entries()) {
    for (const b of lawful.slice(i + 1)) {
      if (a.id !== b.id && a.from < b.to && b.from < a.to)
        throw new Error(
          `two holders at once: ${a.who} from ${a.from} to ${a.to}, ${b.who} from ${b.from} to ${b.to}`,
        )
    }
  }
}

/** 4: one sweep by a healthy server, when leases have expired and late deletes can no longer arrive. */
async function sweepUp(world: World): Promise<StateControl> {
  // It reports its own repairs; the sweep finds what the others left in the outbox.
  const server = await world.healthy('healthy', { flushEvents: true })
  world.passTime(200_000)
  await server.upkeep.sweep(callerNamed('sweep'))
  const doc = readUnit(world)
  if (doc.write !== null) throw new Error('a sweep left an intent behind')
  if (doc.claiming !== undefined) throw new Error('a sweep left a rename behind')
  if (doc.outbox.length > 0) throw new Error('a sweep left events behind')
  if (doc.lock === null && mirrorIn(world)?.isOurs === true)
    throw new Error('a sweep left a dead .tflock behind')
  return server
}

/** 1, 3 and 5: what was acknowledged is there, in the order in which it landed, and credited to its author. */
async function checkHistory(world: World, server: StateControl): Promise<void> {
  const { items } = await server.versions.list(unit, { limit: 100 }, alice)
  const numbers = new Map<string, number>()
  for (const { id, seq, sha256, how, by } of items) {
    if (!numbers.has(sha256)) numbers.set(sha256, seq)
    const { body, dispose } = await server.versions.read(unit, id, alice)
    const parts: Uint8Array[] = []
    for await (const part of body.stream()) parts.push(Buffer.from(part))
    await dispose()
    if (hashOf(Buffer.concat(parts)) !== sha256)
      throw new Error(`version ${seq} has other bytes than it says`)
    const authors = world.authors.get(sha256)
    if (authors !== undefined && how !== 'rollback' && !authors.has(by.slice(by.indexOf(':') + 1)))
      throw new Error(`version ${seq} is credited to ${by} (${how}), and ${[...authors].join()} wrote it`)
  }
  items.forEach(({ seq }, i) => {
    if (seq !== items.length - i) throw new Error(`the history has a hole before ${seq}`)
  })
  for (const { hash, who, version } of world.acknowledged) {
    if (!items.some(({ id, sha256 }) => id === version && sha256 === hash))
      throw new Error(`an acknowledged write of ${who} (${version}) is in no history`)
  }
  for (const { hash } of world.landed) {
    if (hash !== undefined && world.authors.get(hash)?.has('outside') === false && !numbers.has(hash))
      throw new Error('a state that one of our servers put there is in no history')
  }
  checkOrder(world, numbers)
  const current = world.store.get(stateKey)
  const head = items.find(({ status }) => status === 'current')
  // An object without a byte is no state.
  if (
    head?.sha256 !== (current === undefined || current.bytes.length === 0 ? undefined : hashOf(current.bytes))
  )
    throw new Error('the state that lies there is not the current version')
  await checkEvents(
    world,
    server,
    items.map(({ id }) => id),
  )
}

/** 3: what our servers put lands in the order of the history; a broken writer never after the next. */
function checkOrder({ landed, authors }: World, numbers: ReadonlyMap<string, number>): void {
  let last = 0
  for (const { hash } of landed) {
    const seq = hash === undefined ? undefined : numbers.get(hash)
    if (hash === undefined || seq === undefined || authors.get(hash)?.has('outside') === true) continue
    if (seq < last) throw new Error(`version ${seq} landed after version ${last}`)
    last = seq
  }
}

/** Every event is reported once, and none is missing. */
async function checkEvents(world: World, server: StateControl, versions: readonly string[]): Promise<void> {
  const { items } = await server.journal.read({ limit: 1000 }, alice)
  const ids = new Map(items.filter(({ type }) => type === 'state.written').map((event) => [event.id, event]))
  for (const { version } of world.acknowledged) {
    const told = [...ids.values()].filter(({ data }) => data['version'] === version)
    if (told.length !== 1) throw new Error(`the write of ${version} was told ${told.length} times`)
  }
  const known = new Set(versions)
  for (const { data } of ids.values()) {
    if (typeof data['version'] === 'string' && !known.has(data['version']))
      throw new Error(`the journal tells of ${data['version']}, which is in no history`)
  }
}

/** 4: the next one can work, and so can an outsider. */
async function checkUsable(world: World, server: StateControl): Promise<void> {
  const doc = readUnit(world)
  const caller = callerNamed('next')
  if (doc.lock !== null) {
    const { id } = doc.lock
    const isHeld = world.holds.some((hold) => hold.id === id && hold.to === Infinity)
    const isUnknown = world.schedule.failures().length > 0 || world.lostLocks.has(id)
    if (!isHeld && !isUnknown) throw new Error(`nobody holds the lock ${id}, and it is not free`)
    await server.locks.forceUnlock(unit, {}, caller)
  }
  const mirror = mirrorIn(world)
  if (mirror !== undefined) {
    const { ID } = mirror
    if (!world.holds.some((hold) => hold.id === ID && hold.to === Infinity))
      throw new Error(`nobody holds ${ID}, and its .tflock is still there`)
    await server.locks.forceUnlock(unit, {}, caller)
  }
  await server.locks.lock(unit, LockInfo.parse({ ID: 'next' }), {}, caller)
  const serial = (doc.head?.version.serial ?? 0) + 100
  const { encrypted = false } = doc.head?.version ?? {}
  const state = await server.states.receive(
    chunks(stateText(serial, 'next')),
    {
      maxBytes: 1e9,
      org: 'default',
    },
    caller,
  )
  if (!encrypted)
    await server.states.write(unit, state, { how: 'backend', lockId: 'next', force: true }, caller)
  await server.locks.unlock(unit, 'next', caller)
  expect(mirrorIn(world)).toBeUndefined()
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

export function readUnit({ store }: World): UnitDocument {
  const key = store.keys().find((one) => one.startsWith('.taco/orgs/default/units/'))
  const stored = key === undefined ? undefined : store.get(key)
  if (stored === undefined) throw new Error('there is no unit')
  return UnitDocument.parse(parse(stored.bytes))
}

/** The lock that programs see which go to the store directly. */
function mirrorIn({ store }: World): { readonly ID: string; readonly isOurs: boolean } | undefined {
  if (store.leases === true) {
    const ID = store.get(stateKey)?.lease
    return ID === undefined ? undefined : { ID, isOurs: !ID.startsWith(LEASED_OUTSIDE) }
  }
  const mirror = store.get(tflockKey)
  if (mirror === undefined) return undefined
  const info = parse(mirror.bytes)
  return { ID: LockInfo.parse(info).ID, isOurs: 'OpenTaco' in info }
}

function parse(bytes: Buffer): Record<string, unknown> {
  return JSON.parse(bytes.toString()) as Record<string, unknown>
}
