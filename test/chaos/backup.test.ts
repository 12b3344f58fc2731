import { beforeAll, expect, test } from 'vitest'
import type { StateControl } from '../../src/state/index.ts'
import type { CreateControl } from './mutant.ts'
import { loadControl } from './mutant.ts'
import type { Stage } from './scenario.ts'
import { playRandomly } from './scenario.ts'
import { cycle, outsideCycle } from './scenarios.ts'
import { seeded } from './seeded.ts'
import type { Store } from './store.ts'
import { createStore } from './store.ts'
import { writeFirst } from './traces.ts'
import { beginWorld, hashOf, stateText, unit } from './world.ts'

/**
 * A backup is a copy of the bucket, object by object, while writes go on. Whatever the order: after a repair
 * everything listed can be read, and what was acknowledged before the copy began is there.
 */
const seed = Number(process.env['TACO_CHAOS_SEED'] ?? Date.now() % 1_000_000)
const runs = Number(process.env['TACO_CHAOS_RUNS'] ?? 150)

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

interface Copy {
  readonly store: Store
  readonly acknowledged: readonly string[]
  isWhole: boolean
}

async function someVersions(server: StateControl): Promise<void> {
  for (let serial = 1; serial <= 3; serial++) await writeFirst(server, stateText(serial, `before ${serial}`))
}

test.each(['as listed', 'backwards', 'at random'] as const)(
  'a copy taken while writes go on comes back consistent, objects copied %s',
  async (order) => {
    // First, so that it is there when something fails.
    console.log(`${order}: TACO_CHAOS_SEED=${seed}`)
    const random = seeded(seed)
    const copies: Copy[] = []
    const copier = async ({ world }: Stage) => {
      const gate = world.schedule.gate('copier')
      const { contentHashTags, conditionalDelete } = world.store
      const copy: Copy = {
        store: createStore({ contentHashTags, conditionalDelete }),
        acknowledged: world.acknowledged.map(({ hash }) => hash),
        isWhole: false,
      }
      copies.push(copy)
      const keys = world.store.list('').map(({ key }) => key)
      if (order === 'backwards') keys.reverse()
      if (order === 'at random') keys.sort(() => random() - 0.5)
      for (const key of keys) {
        const found = await gate({ kind: 'get', key, writes: false, execute: () => world.store.get(key) })
        if (found !== undefined) copy.store.put(key, found.bytes, 'absent')
      }
      copy.isWhole = true
    }
    const play = await playRandomly(
      create,
      {
        store: { contentHashTags: true },
        before: someVersions,
        actors: {
          one: cycle('one', 4),
          copier,
          two: cycle('two', 5),
          outsider: outsideCycle(6),
          three: cycle('three', 7),
        },
        faults: { crash: 1, lost: 1, total: 1, of: ['one', 'two', 'three'] },
        visible: (key) => /\/(versions|names|keys)\//.test(key),
      },
      runs,
      random,
    )
    console.log(`${order}: ${play.runs} copies`)
    for (const copy of copies) if (copy.isWhole) await checkCopy(copy)
    expect(copies.some(({ isWhole }) => isWhole)).toBe(true)
  },
)

async function checkCopy({ store, acknowledged }: Copy): Promise<void> {
  const world = beginWorld({ store, createControl: create })
  const server = await world.healthy('restored')
  world.passTime(200_000)
  const reported: string[] = []
  for await (const finding of server.upkeep.doctor({ deep: true, repair: true }, { by: 'doctor' }))
    if (finding.level === 'error') reported.push(finding.message)
  const { items } = await server.versions.list(unit, { limit: 100 })
  const readable = new Set<string>()
  for (const { id, sha256, seq } of items) {
    try {
      await (await server.versions.read(unit, id)).dispose()
      readable.add(sha256)
    } catch (error) {
      expect(reported.join(), `version ${seq} cannot be read and nobody said so: ${String(error)}`).toContain(
        id,
      )
    }
  }
  const before = [1, 2, 3].map((serial) => hashOf(stateText(serial, `before ${serial}`)))
  for (const hash of [...before, ...acknowledged])
    expect(readable, 'a write from before the copy is missing').toContain(hash)
  // And it goes on from there.
  const state = await server.states.read(unit)
  expect(state).toBeDefined()
  await server.locks.forceUnlock(unit, {}, { by: 'check' })
  await server.locks.forceUnlock(unit, {}, { by: 'check' })
  await writeFirst(server, stateText(100, 'after'))
}
