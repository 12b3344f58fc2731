import { callerNamed } from '../support/caller.ts'
import { beforeAll, expect, test } from 'vitest'
import { LockInfo, type StateControl } from '../../src/state/index.ts'
import { refused } from './checker/clients.ts'
import { until } from './checker/directed.ts'
import type { CreateControl } from './checker/mutant.ts'
import { loadControl } from './checker/mutant.ts'
import type { Stage } from './checker/scenario.ts'
import { playAll } from './checker/scenario.ts'
import { locked, writeFirst } from './checker/traces.ts'
import { beginWorld, prepare, stateText, unit } from './checker/world.ts'

const caller = callerNamed('one')
const DAY = 86_400_000

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

async function manyVersions(server: StateControl): Promise<void> {
  for (let serial = 1; serial <= 6; serial++)
    await writeFirst(server, stateText(serial, 'x'.repeat(50 * serial)))
  await server.orgs.update('default', { retention: { count: 2 } }, caller)
  await server.locks.lock(unit, LockInfo.parse({ ID: 'one' }), {}, caller)
  await server.upkeep.sweep(caller)
}

const writer = async ({ client, world }: Stage) => {
  world.holds.push({ who: 'one', id: 'one', from: 0, to: Infinity })
  await client.write('one', stateText(7, 'seven'))
  await client.write('one', stateText(8, 'eight'))
}

test('retention during writes never removes what a version needs', async () => {
  const { runs } = await playAll(
    create,
    {
      before: manyVersions,
      actors: {
        one: writer,
        gc: async ({ server }) => void (await refused(() => server.upkeep.gc({ dryRun: false }, caller))),
      },
      faults: { crash: 1, late: 1, total: 1 },
      visible: (key) => key.includes('/versions/'),
      preemptions: 1,
      // The history has been cut: what is left is read back here.
      allow: { isGone: true },
      check: async (world) => {
        world.passTime(2 * DAY)
        const server = await world.healthy()
        await server.upkeep.sweep(caller)
        await server.upkeep.gc({ dryRun: false }, caller)
        const { items } = await server.versions.list(unit, { limit: 100 }, caller)
        for (const { id } of items) await (await server.versions.read(unit, id, caller)).dispose()
        expect(items.length).toBeGreaterThanOrEqual(2)
        const last = world.acknowledged.at(-1)
        if (last !== undefined) expect(items.map(({ id }) => id)).toContain(last.version)
      },
    },
    600,
  )
  expect(runs).toBeGreaterThan(10)
})

test('retention keeps a committed write that was never carried out, whatever its age', async () => {
  const { runs } = await playAll(
    create,
    {
      before: locked,
      actors: {
        one: async ({ client, world }) => {
          world.holds.push({ who: 'one', id: 'one', from: 0, to: Infinity })
          await client.write('one', stateText(2, 'second'))
        },
      },
      faults: { crash: 1, crashLate: 1, total: 1 },
      allow: { isGone: true },
      check: async (world) => {
        world.passTime(2 * DAY)
        const server = await world.healthy()
        await server.upkeep.gc({ dryRun: false }, caller)
        await server.upkeep.sweep(caller)
        const { items } = await server.versions.list(unit, { limit: 100 }, caller)
        for (const { id } of items) await (await server.versions.read(unit, id, caller)).dispose()
        if (world.documents.some(({ write }) => write !== null)) expect(items).toHaveLength(2)
      },
    },
    600,
  )
  expect(runs).toBeGreaterThan(3)
})

test('retention keeps the source of a rollback though a lost attempt has the same number', async () => {
  const beginning = await prepare(
    create,
    { contentHashTags: false, conditionalDelete: true },
    async (before) => {
      const server = await before.healthy('before')
      await writeFirst(server, stateText(1, 'one'))
      await writeFirst(server, stateText(2, 'two'))
      await server.locks.lock(unit, LockInfo.parse({ ID: 'one' }), {}, caller)
      // One stores its third version, loses the race for the document, and never returns.
      const lost = await before.server('lost')
      before.schedule.start('lost', () => writeFirst(lost, stateText(3, 'lost'), 'one'))
      await until(before, 'lost', 'put', /units/)
      for (let serial = 3; serial <= 6; serial++) await writeFirst(server, stateText(serial, 'x'), 'one')
      await server.locks.unlock(unit, 'one', caller)
      await server.orgs.update('default', { retention: { count: 2 } }, caller)
    },
  )
  const world = beginWorld(beginning)
  const thirds = world.store.keys().filter((key) => key.includes('/versions/') && key.includes('/00000003-'))
  expect(thirds).toHaveLength(2)
  const server = await world.healthy()
  await server.versions.rollback(unit, '3', {}, caller)
  // The first time the attempt is too young to go; the second time its number is below the history.
  await server.upkeep.gc({ dryRun: false }, caller)
  world.passTime(2 * DAY)

  await server.upkeep.gc({ dryRun: false }, caller)

  const { items, next } = await server.versions.list(unit, { limit: 100 }, caller)
  const kept = await server.versions.list(unit, { limit: 100, cursor: next ?? '' }, caller)
  const all = [...items, ...kept.items]
  expect(all.map(({ seq }) => seq)).toEqual([7, 6, 3])
  for (const { id } of all) await (await server.versions.read(unit, id, caller)).dispose()
})
