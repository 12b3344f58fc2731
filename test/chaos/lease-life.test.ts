import { callerNamed } from '../support/caller.ts'
import { beforeAll, expect, test } from 'vitest'
import { LockInfo, type StateControl } from '../../src/state/index.ts'
import { isCode, LEASED_OUTSIDE } from './checker/clients.ts'
import type { CreateControl } from './checker/mutant.ts'
import { loadControl } from './checker/mutant.ts'
import { firstState } from './checker/scenario.ts'
import { locked, writeFirst } from './checker/traces.ts'
import type { World } from './checker/world.ts'
import { prepare, stateKey, stateText, unit } from './checker/world.ts'

/** One server on a store with leases, and what other programs do to the lease meanwhile. */

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

const caller = callerNamed('first')
const theirs = `${LEASED_OUTSIDE}0123456789ab`
const second = stateText(2, 'second')

async function live(act: (server: StateControl, world: World) => Promise<void>): Promise<void> {
  const options = { contentHashTags: false, conditionalDelete: true, leases: true }
  await prepare(create, options, async (world) => act(await world.healthy('server'), world))
}

const textIn = ({ store }: World) => store.get(stateKey)?.bytes.toString()
const leaseIn = ({ store }: World) => store.get(stateKey)?.lease
const kinds = async (server: StateControl) =>
  (await server.versions.list(unit, { limit: 10 }, caller)).items.map(({ how, status }) => `${how} ${status}`)

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

test('a unit is locked before it has a state: an empty object is leased, and is no state', () =>
  live(async (server, world) => {
    await server.locks.lock(unit, LockInfo.parse({ ID: 'one' }), { createUnit: true }, caller)
    expect([textIn(world), leaseIn(world) === undefined]).toEqual(['', false])
    expect(await server.states.read(unit, {}, caller)).toBeUndefined()

    await writeFirst(server, firstState, 'one')
    await server.locks.unlock(unit, 'one', caller)

    expect([textIn(world), leaseIn(world)]).toEqual([firstState, undefined])
    expect(await kinds(server)).toEqual(['backend current'])
  }))

test('taking and freeing a lock writes no version, and leaves nothing for a sweep to mend', () =>
  live(async (server) => {
    await locked(server)
    await server.locks.unlock(unit, 'one', caller)

    expect(await server.upkeep.sweep(caller)).toMatchObject({ repaired: 0 })
    expect(await kinds(server)).toEqual(['backend current'])
  }))

test('a deleted unit is restored with its state, and neither step leaves a lease', () =>
  live(async (server, world) => {
    await writeFirst(server)
    await server.units.remove(unit, { force: true }, caller)
    expect([textIn(world), leaseIn(world)]).toEqual(['', undefined])

    await server.units.restore(unit, {}, caller)

    expect([textIn(world), leaseIn(world)]).toEqual([firstState, undefined])
  }))

test('a lease that was broken from outside is taken again by the next write', () =>
  live(async (server, world) => {
    await locked(server)
    const before = leaseIn(world)
    world.store.release(stateKey, undefined, 'always')

    await writeFirst(server, second, 'one')

    expect([textIn(world), leaseIn(world)]).toEqual([second, before])
  }))

test('a lease that was broken from outside is taken again by a sweep', () =>
  live(async (server, world) => {
    await locked(server)
    const before = leaseIn(world)
    world.store.release(stateKey, undefined, 'always')

    await server.upkeep.sweep(caller)

    expect(leaseIn(world)).toBe(before)
  }))

test('a holder that lost its lease to another program is refused, and the state is unchanged', () =>
  live(async (server, world) => {
    await locked(server)
    world.store.release(stateKey, undefined, 'always')
    world.store.acquire(stateKey, theirs, 'always')

    const error = await refusal(writeFirst(server, second, 'one'))

    expect(isCode(error, 'LOCK_MISMATCH')).toBe(true)
    expect([textIn(world), leaseIn(world)]).toEqual([firstState, theirs])
  }))

test.each([
  ['noted', JSON.stringify({ ID: theirs, Who: 'bob@desk', Operation: 'apply' }), 'bob@desk'],
  ['not noted', undefined, ''],
])('a lease of another program that is %s is a lock of the unit, and can be forced', (_name, note, who) =>
  live(async (server, world) => {
    await writeFirst(server)
    world.store.acquire(stateKey, theirs, 'always')
    if (note !== undefined) world.store.note(stateKey, theirs, note, 'always')

    const error = await refusal(server.locks.lock(unit, LockInfo.parse({ ID: 'one' }), {}, caller))
    expect(error).toMatchObject({ code: 'LOCKED', facts: { outside: true, holder: { Who: who } } })
    expect(await server.locks.get(unit, caller)).toMatchObject({ outside: true, info: { Who: who } })

    await server.locks.forceUnlock(unit, {}, caller)
    expect(leaseIn(world)).toBeUndefined()
    await server.locks.lock(unit, LockInfo.parse({ ID: 'two' }), {}, caller)
  }),
)
