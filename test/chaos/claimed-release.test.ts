import { beforeAll, expect, test } from 'vitest'
import { refused } from './clients.ts'
import type { CreateControl } from './mutant.ts'
import { loadControl } from './mutant.ts'
import type { Scenario } from './scenario.ts'
import { playAll } from './scenario.ts'
import { cycle, sweep } from './scenarios.ts'
import { writeFirst } from './traces.ts'
import { tflockKey, unit } from './world.ts'

/** Stores without conditional delete: every delete runs inside a claimed state. */
const store = { conditionalDelete: false, contentHashTags: true }

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

async function play(scenario: Scenario): Promise<void> {
  const { runs } = await playAll(create, scenario, 1_000)
  expect(runs).toBeGreaterThan(1)
}

test('a release that crashed at any step is taken over, and never twice at once', () =>
  play({
    store,
    actors: { one: cycle('one', 2), two: cycle('two', 3) },
    faults: { crash: 1, of: ['one'] },
    preemptions: 1,
  }))

test('a dead .tflock is removed while others lock and an outsider tries', () =>
  play({
    store,
    before: async (server, world) => {
      await writeFirst(server)
      const { id } = await server.units.get(unit)
      const marked = { ID: 'dead', OpenTaco: { unit: id, epoch: 1 } }
      world.store.put(tflockKey, Buffer.from(JSON.stringify(marked)), 'absent')
    },
    actors: {
      sweep,
      two: async ({ client }) => void (await client.lock('two')),
      outsider: async ({ outsider }) => void (await outsider.lock()),
    },
    preemptions: 2,
  }))

test('breaking an outside lock does not delete the lock that one of our servers took meanwhile', () =>
  play({
    store,
    before: async (server, world) => {
      await writeFirst(server)
      world.store.put(tflockKey, Buffer.from(JSON.stringify({ ID: 'outside-outsider' })), 'absent')
    },
    actors: {
      breaker: async ({ server }) =>
        void (await refused(() =>
          server.locks.forceUnlock(unit, { id: 'outside-outsider' }, { by: 'breaker' }),
        )),
      // In one step: an outsider's late DELETE of a lock that was broken is beyond what can be promised.
      outsider: async ({ world, name }) => {
        const own = world.store.get(tflockKey)?.tag ?? 'always'
        const execute = () => world.store.delete(tflockKey, own)
        await world.schedule.gate(name)({ kind: 'delete', key: tflockKey, writes: true, execute })
      },
      // Another outsider before ours would be two outsiders at once, which no store without conditions keeps apart.
      two: async ({ client, outsider }) => {
        if (await client.lock('two')) await outsider.lock()
      },
    },
    preemptions: 2,
  }))
