import { alice } from '../support/caller.ts'
import { callerNamed } from '../support/caller.ts'
import { expect, test } from 'vitest'
import { LockInfo } from '../../src/state/index.ts'
import { isCode, refused } from './checker/clients.ts'
import { play } from './checker/play.ts'
import { firstState } from './checker/scenario.ts'
import { writeFirst } from './checker/traces.ts'
import type { World } from './checker/world.ts'
import { hashOf, unit } from './checker/world.ts'

const claims = (key: string) => /\/(names|keys)\//.test(key)
const somebody = { visible: claims, allow: { isGone: true } }

/** Whatever happened: every name leads to one unit, every unit has a name, and no two share a state. */
async function checkNames(world: World): Promise<void> {
  world.passTime(200_000)
  const server = await world.healthy()
  await server.upkeep.sweep(callerNamed('sweep'))
  const { items } = await server.units.list({ org: 'default', limit: 100 }, alice)
  const names = items.map(({ name }) => name)
  expect(new Set(names).size, names.join()).toBe(names.length)
  const keys = items.map(({ key }) => key)
  expect(new Set(keys).size, keys.join()).toBe(keys.length)
  for (const { name, id } of items) {
    expect((await server.units.get({ org: 'default', unit: name }, alice)).id).toBe(id)
    const info = LockInfo.parse({ ID: `check ${id}` })
    await server.locks.lock({ org: 'default', unit: name }, info, {}, callerNamed('check'))
    await server.locks.unlock({ org: 'default', unit: name }, info.ID, callerNamed('check'))
  }
  // A name that no unit has is available.
  for (const name of ['prod/net', 'prod/other'].filter((one) => !names.includes(one)))
    await refusedOrTaken(() => server.units.create({ org: 'default', name }, callerNamed('check')))
  // The next request finishes a unit whose creation crashed after its claim.
  const all = await Promise.all(
    ['prod/net', 'prod/other'].map((name) => server.units.get({ org: 'default', unit: name }, alice)),
  )
  expect(new Set(all.map(({ id }) => id)).size).toBe(2)
}

test('two clients create the same unit, one crashes: one unit results', () =>
  play({
    ...somebody,
    before: async () => {},
    actors: {
      one: async ({ server }) => void (await refused(() => writeFirst(server))),
      two: async ({ server }) =>
        void (await refused(() =>
          server.locks.lock(
            unit,
            LockInfo.parse({ ID: 'two' }),
            { createUnit: true, leaseMs: 1 },
            callerNamed('two'),
          ),
        )),
    },
    faults: { crash: 1, lost: 1, again: 1, total: 1, of: ['one'] },
    preemptions: 1,
    check: checkNames,
  }))

test('a rename that crashes at any step leaves no name taken without an owner', () =>
  play({
    ...somebody,
    actors: {
      one: async ({ server }) =>
        void (await refused(() => server.units.rename(unit, 'prod/other', callerNamed('one')))),
    },
    faults: { crash: 1, crashLate: 1, lost: 1, again: 1, total: 1 },
    check: checkNames,
  }))

test('two rename one unit at once', () =>
  play({
    ...somebody,
    actors: {
      one: async ({ server }) =>
        void (await refused(() => server.units.rename(unit, 'prod/other', callerNamed('one')))),
      two: async ({ server }) =>
        void (await refused(() => server.units.rename(unit, 'prod/third', callerNamed('two')))),
    },
    preemptions: 2,
    check: checkNames,
  }))

test('a rename and a creation want the same name', () =>
  play({
    ...somebody,
    actors: {
      one: async ({ server }) =>
        void (await refusedOrTaken(() => server.units.rename(unit, 'prod/other', callerNamed('one')))),
      two: async ({ server }) =>
        void (await refusedOrTaken(() =>
          server.units.create({ org: 'default', name: 'prod/other' }, callerNamed('two')),
        )),
    },
    faults: { crash: 1 },
    preemptions: 2,
    check: checkNames,
  }))

test('a rename does not bring a deleted unit back', () =>
  play({
    ...somebody,
    actors: {
      one: async ({ server }) =>
        void (await refused(() => server.units.rename(unit, 'prod/other', callerNamed('one')))),
      two: async ({ server, world }) => {
        await refused(async () => {
          await server.units.remove(unit, { force: true }, callerNamed('two'))
          world.forced.push({ at: 0, id: 'removed' })
        })
      },
    },
    preemptions: 2,
    check: async (world) => {
      const server = await world.healthy()
      const { items } = await server.units.list({ org: 'default', limit: 10 }, alice)
      if (world.forced.length > 0) expect(items.map(({ name }) => name)).toEqual([])
      await checkNames(world)
    },
  }))

test('a unit is restored while another client creates one of the same name', () =>
  play({
    ...somebody,
    before: async (server) => {
      await writeFirst(server)
      await server.units.remove(unit, { force: true }, callerNamed('first'))
    },
    actors: {
      one: async ({ server }) =>
        void (await refusedOrTaken(() => server.units.restore(unit, {}, callerNamed('one')))),
      two: async ({ server }) =>
        void (await refusedOrTaken(() =>
          server.units.create({ org: 'default', name: 'prod/net' }, callerNamed('two')),
        )),
    },
    preemptions: 1,
    check: checkNames,
  }))

test('a restore that crashes at any step is finished by the next client', () =>
  play({
    ...somebody,
    before: async (server) => {
      await writeFirst(server)
      await server.units.remove(unit, { force: true }, callerNamed('first'))
    },
    actors: {
      one: async ({ server }) =>
        void (await refused(() => server.units.restore(unit, {}, callerNamed('one')))),
    },
    faults: { crash: 1, lost: 1, total: 1 },
    check: async (world) => {
      world.passTime(200_000)
      const server = await world.healthy()
      await server.upkeep.sweep(callerNamed('sweep'))
      const { items } = await server.units.list({ org: 'default', limit: 10 }, alice)
      for (const { name } of items) {
        const found = await server.states.read({ org: 'default', unit: name }, {}, alice)
        if (found === undefined || found === 'unchanged') throw new Error('a restored unit lost its state')
        expect(hashOf(await found.bytes())).toBe(hashOf(firstState))
      }
      await checkNames(world)
    },
  }))

async function refusedOrTaken(work: () => Promise<unknown>): Promise<boolean> {
  return refused(async () => {
    try {
      await work()
    } catch (error) {
      if (!isCode(error, 'ALREADY_EXISTS')) throw error
    }
  })
}
