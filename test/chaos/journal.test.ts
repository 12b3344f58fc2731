import { callerNamed } from '../support/caller.ts'
import { beforeAll, expect, test } from 'vitest'
import type { StateControl } from '../../src/state/index.ts'
import { refused } from './checker/clients.ts'
import type { CreateControl } from './checker/mutant.ts'
import { loadControl } from './checker/mutant.ts'
import { playAll } from './checker/scenario.ts'
import { locked, writeFirst } from './checker/traces.ts'
import { beginWorld, prepare, stateText, unit } from './checker/world.ts'

const caller = callerNamed('one')

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

/** Follows the feed until nothing is left, by pages of `limit`. */
async function follow(server: StateControl, after: string | undefined, limit: number) {
  const ids: string[] = []
  let cursor = after
  for (;;) {
    const page = await server.journal.read(
      { limit, ...(cursor === undefined ? {} : { after: cursor }) },
      caller,
    )
    ids.push(...page.items.map(({ id }) => id))
    if (page.items.length === 0) return { ids, cursor: page.next }
    cursor = page.next
  }
}

test('a follower misses no event and sees none twice but after a crash, whoever crashes and whatever comes late', async () => {
  const { runs } = await playAll(
    create,
    {
      before: locked,
      actors: {
        one: async ({ world, name }) => {
          const server = await world.server(name, { flushEvents: true }, 'flushing')
          await refused(() => writeFirst(server, stateText(2, 'one'), 'one'))
          await refused(() => server.locks.unlock(unit, 'one', caller))
        },
        sweep: async ({ server }) => void (await refused(() => server.upkeep.sweep(caller))),
      },
      visible: (key) => key.includes('/journal/'),
      faults: { crash: 1, late: 1, crashLate: 1, total: 1 },
      preemptions: 1,
      allow: { isGone: true },
      check: async (world) => {
        const server = await world.healthy()
        const early = await follow(server, undefined, 2)
        world.passTime(7_000)
        await server.upkeep.sweep(caller)
        const late = await follow(server, early.cursor, 2)
        world.passTime(60_000)
        const last = await follow(server, late.cursor, 2)
        const seen = new Set([...early.ids, ...late.ids, ...last.ids])
        const happened = new Set(world.documents.flatMap(({ outbox }) => outbox.map(({ id }) => id)))
        for (const id of happened) expect(seen, 'an event was skipped').toContain(id)
        const all = await follow(server, undefined, 50)
        expect(new Set(all.ids).size).toBeGreaterThanOrEqual(happened.size)
      },
    },
    800,
  )
  expect(runs).toBeGreaterThan(10)
})

test('a record that takes too long is told again until a follower must come by it', async () => {
  const options = { contentHashTags: false, conditionalDelete: true }
  const world = beginWorld(
    await prepare(create, options, async (before) => locked(await before.healthy('before'))),
    undefined,
    (key) => key.includes('/journal/'),
  )
  const reader = await world.healthy('reader')
  const start = await follow(reader, undefined, 100)
  const slow = await world.server('slow', { flushEvents: true })
  world.schedule.start('slow', () => writeFirst(slow, stateText(2, 'slow'), 'one'))
  const others = await world.healthy('others', { flushEvents: true })
  let { cursor } = start
  const seen: string[] = []
  let slowTries = 0
  for (;;) {
    const next = (await world.schedule.settle())[0]
    if (next === undefined) break
    if (next.operation.key.includes('/journal/') && slowTries < 2) {
      // Two tries to write the record take longer than a follower waits, and others' records lie behind it by then.
      slowTries++
      world.passTime(1_000)
      await others.units.create({ org: 'default', name: `prod/other-${slowTries}` }, caller)
      world.passTime(15_000)
      const page = await follow(reader, cursor, 100)
      seen.push(...page.ids)
      cursor = page.cursor
    }
    world.schedule.take(next.id, 'run')
  }
  world.passTime(60_000)
  seen.push(...(await follow(reader, cursor, 100)).ids)
  expect(slowTries).toBe(2)
  const happened = world.documents.flatMap(({ outbox }) => outbox.map(({ id }) => id))
  expect(happened.length).toBeGreaterThan(0)
  for (const id of happened) expect(seen).toContain(id)
})
