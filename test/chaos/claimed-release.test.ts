import { alice } from '../support/caller.ts'
import { callerNamed } from '../support/caller.ts'
import { expect, test } from 'vitest'
import { LockInfo } from '../../src/state/index.ts'
import { refused } from './checker/clients.ts'
import { until } from './checker/directed.ts'
import { play, realControl } from './checker/play.ts'
import { cycle, sweep } from './checker/scenarios.ts'
import { writeFirst } from './checker/traces.ts'
import { beginWorld, prepare, tflockKey, unit } from './checker/world.ts'

/** Stores without conditional delete: every delete runs inside a claimed state. */
const store = { conditionalDelete: false, contentHashTags: true }

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
      const { id } = await server.units.get(unit, alice)
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
          server.locks.forceUnlock(unit, { id: 'outside-outsider' }, callerNamed('breaker')),
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

/** One that crashed between its claim and its DELETE. */
async function crashedRelease() {
  const world = beginWorld(
    await prepare(await realControl(), store, async (before) => writeFirst(await before.healthy('before'))),
  )
  const owner = await world.server('owner')
  world.schedule.start('owner', async () => {
    await owner.locks.lock(unit, LockInfo.parse({ ID: 'owner' }), {}, callerNamed('owner'))
    await owner.locks.unlock(unit, 'owner', callerNamed('owner'))
  })
  await until(world, 'owner', 'delete', /\.tflock$/)
  return world
}

test('a crashed release is taken over after T and not before, for any T', async () => {
  const world = await crashedRelease()
  const crashedAt = world.now()
  const deleteOutlivesMs = 300_000

  const other = await world.healthy('other', { deleteOutlivesMs })
  await other.locks.lock(unit, LockInfo.parse({ ID: 'other' }), {}, callerNamed('other'))

  expect(world.now() - crashedAt).toBeGreaterThanOrEqual(deleteOutlivesMs)
  expect(world.now() - crashedAt).toBeLessThan(2 * deleteOutlivesMs)
})

test('a release whose owner had a clock far ahead is taken over T after it was seen', async () => {
  const world = await crashedRelease()
  world.passTime(-3_600_000)
  const seenAt = world.now()
  const deleteOutlivesMs = 30_000

  const other = await world.healthy('other', { deleteOutlivesMs })
  await other.upkeep.sweep(callerNamed('other'))

  expect(await other.locks.get(unit, alice)).toBeNull()
  expect(world.store.get(tflockKey)).toBeUndefined()
  expect(world.now() - seenAt).toBeGreaterThanOrEqual(deleteOutlivesMs)
  expect(world.now() - seenAt).toBeLessThan(2 * deleteOutlivesMs)
})

test.each([true, false])(
  'an outside lock that was broken is in the journal, wherever the breaker crashed (conditional delete: %s)',
  (conditionalDelete) =>
    play({
      store: { conditionalDelete },
      before: async (server, world) => {
        await writeFirst(server)
        world.store.put(tflockKey, Buffer.from(JSON.stringify({ ID: 'outside' })), 'absent')
      },
      actors: {
        breaker: async ({ server }) =>
          void (await refused(() =>
            server.locks.forceUnlock(unit, { id: 'outside' }, callerNamed('breaker')),
          )),
      },
      faults: { crash: 1, crashLate: 1, lost: 1, total: 1 },
      // The lock may be there or not; that it does not go without a word is looked at here.
      allow: { isGone: true },
      check: async (world) => {
        world.passTime(200_000)
        const server = await world.healthy()
        await server.upkeep.sweep(callerNamed('sweep'))
        await server.close()
        const { items } = await server.journal.read({ limit: 100, types: ['lock.forced'] }, alice)
        // A late record is reported twice, under one id.
        const told = [...new Map(items.map((event) => [event.id, event])).values()]
        const event = { by: 'user:breaker', data: { lock: { ID: 'outside' }, outside: true } }
        if (world.store.get(tflockKey) === undefined) expect(told).toMatchObject([event])
        else expect(told.length).toBeLessThanOrEqual(1)
      },
    }),
)
