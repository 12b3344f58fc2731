import { alice } from '../../support/caller.ts'
import { callerNamed } from '../../support/caller.ts'
import { LockInfo, type StateControl } from '../../../src/state/index.ts'
import { UnitDocument } from '../../../src/state/documents/model.ts'
import { isCode, refused } from './clients.ts'
import type { World } from './world.ts'

/**
 * What names lead to, at every moment of a run, according to the bucket alone: the document that has the name, and the
 * state at its key. Every answer to a client must have been true at some moment between request and answer.
 */
interface Moment {
  readonly step: number
  readonly units: ReadonlyMap<string, UnitDocument>
  readonly states: ReadonlyMap<string, string>
}

interface Told {
  readonly who: string
  readonly what: string
  readonly from: number
  readonly to: number
  /** Was it so at this moment? */
  holds(moment: Moment): boolean
}

/** A client that uses units by name, through any server, and remembers the answers. */
export interface Addresses {
  read(server: StateControl, name: string): Promise<void>
  /** As an engine does: by a name that may be new. */
  write(server: StateControl, name: string, text: string): Promise<void>
  lock(server: StateControl, name: string, id: string): Promise<void>
  create(server: StateControl, name: string): Promise<void>
  rename(server: StateControl, from: string, to: string): Promise<void>
  remove(server: StateControl, name: string): Promise<void>
  restore(server: StateControl, name: string): Promise<void>
}

/** A client that creates units by using them. */
const ENGINE = 'engine'

const told = new WeakMap<World, Told[]>()

export function addressesOf(world: World, who: string): Addresses {
  const by = callerNamed(who)
  const engine = callerNamed(ENGINE)
  const all = told.get(world) ?? []
  told.set(world, all)

  async function ask(
    what: string,
    name: string,
    work: () => Promise<((moment: Moment) => boolean) | undefined>,
  ): Promise<void> {
    const from = world.schedule.steps()
    await refused(async () => {
      try {
        const holds = await work()
        if (holds !== undefined) all.push({ who, what, from, to: world.schedule.steps(), holds })
      } catch (error) {
        const to = world.schedule.steps()
        if (isCode(error, 'NAME_GIVEN_UP'))
          all.push({ who, what, from, to, holds: (moment) => isGivenUp(moment, name) })
        // A restore brings the very bytes back. Where their tag comes back with them, a deletion that a slow server
        // still carries out empties them (docs/limits.md): then the alarm must be true.
        else if (world.store.contentHashTags && isCode(error, 'STATE_MISSING'))
          all.push({ who, what, from, to, holds: (moment) => stateOf(moment, name) === undefined })
        else if (!isCode(error, 'ALREADY_EXISTS', 'STATE_LINEAGE', 'BAD_REQUEST')) throw error
      }
    })
  }

  return {
    read: (server, name) =>
      ask(`read ${name}`, name, async () => {
        const found = await server.states.read({ org: 'default', unit: name }, {}, alice)
        if (found === 'unchanged') throw new Error('nothing was asked that could be unchanged')
        const text = found === undefined ? undefined : (await found.bytes()).toString()
        return (moment) => stateOf(moment, name) === text
      }),
    write: (server, name, text) =>
      ask(`write ${name}`, name, async () => {
        const unit = { org: 'default', unit: name }
        const state = await server.states.receive(
          [Buffer.from(text)] as never,
          {
            maxBytes: 1e9,
            org: 'default',
          },
          alice,
        )
        const version = await server.states.write(unit, state, { how: 'backend', createUnit: true }, engine)
        return (moment) => {
          const doc = unitOf(moment, name)
          const written = doc?.write?.kind === 'write' ? doc.write.head : doc?.head
          return written?.version.id === version.id
        }
      }),
    lock: (server, name, id) =>
      ask(`lock ${name}`, name, async () => {
        const info = LockInfo.parse({ ID: id })
        await server.locks.lock(
          { org: 'default', unit: name },
          info,
          { createUnit: true, leaseMs: 60_000 },
          engine,
        )
        return (moment) => unitOf(moment, name)?.lock?.id === id
      }),
    create: (server, name) =>
      ask(`create ${name}`, name, async () => {
        const { id } = await server.units.create({ org: 'default', name }, by)
        return (moment) => unitOf(moment, name)?.id === id
      }),
    rename: (server, from, to) =>
      ask(`rename ${from} to ${to}`, to, async () => {
        const { id } = await server.units.rename({ org: 'default', unit: from }, to, by)
        return (moment) => unitOf(moment, to)?.id === id
      }),
    remove: (server, name) =>
      ask(`remove ${name}`, name, async () => {
        const { id } = await server.units.remove({ org: 'default', unit: name }, { force: true }, by)
        return (moment) => moment.units.get(id)?.deleted !== undefined
      }),
    restore: (server, name) =>
      ask(`restore ${name}`, name, async () => {
        const { id } = await server.units.restore({ org: 'default', unit: name }, {}, by)
        return (moment) => unitOf(moment, name)?.id === id
      }),
  }
}

/**
 * At no moment do two units share a name or a state, no engine creates a unit by a name that was in use, and all
 * answers were true. Returns the number of answers.
 */
export function checkAddresses(world: World): number {
  const moments = momentsOf(world)
  moments.forEach((moment, i) => {
    checkUnique(moment)
    checkFirstUse(moment, moments[i - 1] ?? moment)
  })
  const all = told.get(world) ?? []
  for (const { who, what, from, to, holds } of all) {
    // What was true when the request was sent, or became true before it was answered.
    const before = moments.findLastIndex(({ step }) => step <= from)
    const within = moments.filter(({ step }, i) => i === before || (step > from && step <= to))
    if (!within.some(holds))
      throw new Error(`${who} was told what was true at no moment: ${what}, from step ${from} to ${to}`)
  }
  return all.length
}

function momentsOf({ changes, first }: World): Moment[] {
  let now: Moment = { step: 0, units: new Map(), states: new Map() }
  for (const key of first.keys()) now = changed(now, 0, key, first.get(key)?.bytes)
  const moments = [now]
  for (const { step, key, bytes } of changes) {
    now = changed(now, step, key, bytes)
    moments.push(now)
  }
  return moments
}

function changed(before: Moment, step: number, key: string, bytes: Buffer | undefined): Moment {
  if (key.startsWith('.taco/orgs/default/units/') && bytes !== undefined) {
    const doc = UnitDocument.parse(JSON.parse(bytes.toString()))
    return { ...before, step, units: new Map(before.units).set(doc.id, doc) }
  }
  if (key.startsWith('.taco/') || key.endsWith('.tflock')) return { ...before, step }
  const states = new Map(before.states)
  // An emptied state is no state.
  if (bytes === undefined || bytes.length === 0) states.delete(key)
  else states.set(key, bytes.toString())
  return { ...before, step, states }
}

function unitOf({ units }: Moment, name: string): UnitDocument | undefined {
  return [...units.values()].find((doc) => doc.name === name && doc.deleted === undefined)
}

function stateOf(moment: Moment, name: string): string | undefined {
  const doc = unitOf(moment, name)
  return doc === undefined ? undefined : moment.states.get(doc.key)
}

/** No unit has the name now, and one had it before. */
function isGivenUp(moment: Moment, name: string): boolean {
  return unitOf(moment, name) === undefined && [...moment.units.values()].some((doc) => had(doc, name))
}

function had(doc: UnitDocument, name: string): boolean {
  return doc.name === name || doc.formerNames?.includes(name) === true
}

function checkFirstUse({ step, units }: Moment, before: Moment): void {
  for (const { id, name, createdBy } of units.values()) {
    if (before.units.has(id) || createdBy !== `user:${ENGINE}`) continue
    const former = [...before.units.values()].find((doc) => had(doc, name))
    if (former !== undefined)
      throw new Error(`an engine made the unit ${name} at step ${step}, which ${former.id} had given up`)
  }
}

function checkUnique({ step, units }: Moment): void {
  const live = [...units.values()].filter(({ deleted }) => deleted === undefined)
  for (const what of ['name', 'key'] as const) {
    const all = live.map((doc) => doc[what])
    if (new Set(all).size !== all.length)
      throw new Error(`two units share a ${what} after step ${step}: ${all.join()}`)
  }
}
