import { alice } from '../support/caller.ts'
import { callerNamed } from '../support/caller.ts'
import { beforeAll, expect, test } from 'vitest'
import type { StateControl } from '../../src/state/index.ts'
import type { CreateControl } from './checker/mutant.ts'
import { loadControl } from './checker/mutant.ts'
import type { Stage } from './checker/scenario.ts'
import { playRandomly } from './checker/scenario.ts'
import { cycle, outsideCycle } from './checker/scenarios.ts'
import { seeded } from './checker/seeded.ts'
import type { Store } from './checker/store.ts'
import { createStore } from './checker/store.ts'
import { writeFirst } from './checker/traces.ts'
import { beginWorld, hashOf, stateText, unit } from './checker/world.ts'

/**
 * A backup is a copy of the bucket, object by object, while writes continue. In any order of copying: after a repair
 * everything listed can be read, and what was acknowledged before the copy began is there.
 */
const seed = Number(process.env['TACO_CHAOS_SEED'] ?? Date.now() % 1_000_000)
const runs = Number(process.env['TACO_CHAOS_RUNS'] ?? 150)

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

type Order = 'as listed' | 'backwards' | 'at random' | 'with some of what came meanwhile' | 'documents first'

interface Copy {
  readonly order: Order
  readonly store: Store
  readonly acknowledged: readonly string[]
  isWhole: boolean
}

async function someVersions(server: StateControl): Promise<void> {
  for (let serial = 1; serial <= 3; serial++) await writeFirst(server, stateText(serial, `before ${serial}`))
}

const isDocument = (key: string) => /\/units\//.test(key)

/** The keys in the order in which they are copied. The store is read when the next one is requested. */
function* keysIn(store: Store, order: Order, random: () => number): Generator<string> {
  const listed = () => store.list('').map(({ key }) => key)
  const shuffled = (keys: string[]) => keys.sort(() => random() - 0.5)
  if (order === 'as listed') yield* listed()
  else if (order === 'backwards') yield* listed().reverse()
  else {
    const first = shuffled(listed())
    if (order === 'documents first') {
      yield* first.filter(isDocument)
      yield* shuffled(listed().filter((key) => !isDocument(key)))
    } else if (order === 'at random') yield* first
    else {
      // Like reading a folder: additions meanwhile may or may not be found.
      const passedOver = new Set(first)
      for (const key of first) {
        for (const found of listed()) {
          if (passedOver.has(found)) continue
          passedOver.add(found)
          if (random() < 0.5) yield found
        }
        yield key
      }
    }
  }
}

test.each<Order>([
  'as listed',
  'backwards',
  'at random',
  'with some of what came meanwhile',
  'documents first',
])('a copy taken while writes go on comes back consistent, objects copied %s', async (order) => {
  // First, so that it is there when something fails.
  console.log(`${order}: TACO_CHAOS_SEED=${seed}`)
  const random = seeded(seed)
  const copies: Copy[] = []
  const copier = async ({ world }: Stage) => {
    const gate = world.schedule.gate('copier')
    const { contentHashTags, conditionalDelete } = world.store
    const copy: Copy = {
      order,
      store: createStore({ contentHashTags, conditionalDelete }),
      acknowledged: world.acknowledged.map(({ hash }) => hash),
      isWhole: false,
    }
    copies.push(copy)
    for (const key of keysIn(world.store, order, random)) {
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
})

async function checkCopy({ order, store, acknowledged }: Copy): Promise<void> {
  const world = beginWorld({ store, createControl: create })
  const server = await world.healthy('restored')
  world.passTime(200_000)
  const examine = async (repair: boolean) => {
    const found = []
    for await (const finding of server.upkeep.doctor({ deep: true, repair }, callerNamed('doctor')))
      if (finding.level === 'error') found.push(finding)
    return found
  }
  const reported = await examine(true)
  expect(await examine(false), 'a repair leaves nothing to repair').toEqual([])
  if (order === 'documents first')
    expect(reported, 'no version is missing that the document tells of').toEqual([])
  const { items } = await server.versions.list(unit, { limit: 100 }, alice)
  const readable = new Set<string>()
  for (const { id, sha256, seq } of items) {
    try {
      await (await server.versions.read(unit, id, alice)).dispose()
      readable.add(sha256)
    } catch (error) {
      const said = reported.map(({ message }) => message).join()
      expect(said, `version ${seq} cannot be read and nobody said so: ${String(error)}`).toContain(id)
    }
  }
  const before = [1, 2, 3].map((serial) => hashOf(stateText(serial, `before ${serial}`)))
  for (const hash of [...before, ...acknowledged])
    expect(readable, 'a write from before the copy is missing').toContain(hash)
  // And writes continue from there.
  const state = await server.states.read(unit, {}, alice)
  if (state === undefined || state === 'unchanged') throw new Error('the copy has no state')
  expect((await server.versions.get(unit, 'current', alice)).sha256).toBe(hashOf(await state.bytes()))
  expect(readable).toContain((await server.versions.get(unit, 'current', alice)).sha256)
  await server.locks.forceUnlock(unit, {}, callerNamed('check'))
  await server.locks.forceUnlock(unit, {}, callerNamed('check'))
  await writeFirst(server, stateText(100, 'after'))
  await server.upkeep.gc({ dryRun: false }, callerNamed('check'))
  expect(await examine(false), 'all is well afterwards').toEqual([])
}
