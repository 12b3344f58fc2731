import { callerNamed } from '../support/caller.ts'
import { expect, test } from 'vitest'
import { LockInfo } from '../../src/state/index.ts'
import { refused } from './checker/clients.ts'
import { play } from './checker/play.ts'
import { cycle, sweep } from './checker/scenarios.ts'
import { locked } from './checker/traces.ts'
import { stateKey, stateText, tflockKey, unit } from './checker/world.ts'

const caller = callerNamed('one')

test.each([true, false])(
  'a deletion of the state meets faults, another server and a sweep (conditional delete: %s)',
  (conditionalDelete) =>
    play({
      store: { conditionalDelete },
      before: locked,
      actors: {
        one: async ({ server, world }) => {
          world.holds.push({ who: 'one', id: 'one', from: 0, to: Infinity })
          await refused(() => server.states.remove(unit, { lockId: 'one', force: true }, caller))
        },
        two: async ({ client, server }) => {
          await client.force()
          await cycle('two', 3)({ client, server } as never)
        },
      },
      faults: { crash: 1, crashLate: 1, lost: 1, again: 1, late: 1, total: 1, of: ['one'] },
      preemptions: 1,
    }),
)

test('a deletion and an outsider that writes: what was written last is there', () =>
  play({
    before: locked,
    actors: {
      one: async ({ server, world }) => {
        world.holds.push({ who: 'one', id: 'one', from: 0, to: Infinity })
        await refused(() => server.states.remove(unit, { lockId: 'one', force: true }, caller))
      },
      outsider: async ({ outsider }) => outsider.write(stateText(3, 'outsider')),
      sweep,
    },
    faults: { crash: 1, of: ['one'] },
    allow: { lockless: true },
    preemptions: 2,
  }))

test('a LOCK that was under way when its unit was deleted leaves no permanent .tflock', () =>
  play({
    actors: {
      one: async ({ client }) => {
        if (await client.lock('one')) await client.unlock('one')
      },
      two: async ({ server }) => {
        await refused(() => server.units.remove(unit, { force: true }, caller))
        await refused(() => server.upkeep.sweep(caller))
      },
    },
    allow: { isGone: true },
    preemptions: 2,
    check: async (world) => {
      world.passTime(200_000)
      await (await world.healthy()).upkeep.sweep(caller)
      expect(world.store.get(tflockKey)).toBeUndefined()
    },
  }))

test('a unit whose deletion crashed at any step leaves no .tflock that blocks its name', () =>
  play({
    actors: {
      one: async ({ server }) =>
        void (await refused(() => server.units.remove(unit, { force: true }, caller))),
    },
    faults: { crash: 1, crashLate: 1, total: 1 },
    allow: { isGone: true },
    check: async (world) => {
      world.passTime(200_000)
      const server = await world.healthy()
      await server.upkeep.sweep(caller)
      expect(world.store.get(tflockKey)).toBeUndefined()
      // A deleted unit's name is free only for explicit requests for a new unit.
      await server.units.create({ org: unit.org, name: unit.unit }, caller).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ALREADY_EXISTS')) throw error
      })
      const info = LockInfo.parse({ ID: 'next' })
      await server.locks.lock(unit, info, {}, caller)
      expect(
        world.store.get(stateKey) === undefined || world.documents.every(({ deleted }) => !deleted),
      ).toBe(true)
    },
  }))
