import { expect, test } from 'vitest'
import { explore, runRandomly } from './explore.ts'
import process from 'node:process'
import {
  OWN_KEY,
  PLAIN_KEY,
  VISITOR,
  checkWorld,
  createOnce,
  deleteOnce,
  holdOn,
  look,
  lookTwice,
  makeWorld,
  outsider,
  actor,
  writeOnce,
} from './world.ts'
import type { Rules } from '../../../src/bucket/adapters/file/index.ts'
import type { Actor, Explored } from './explore.ts'
import type { World } from './world.ts'

interface Scenario {
  readonly key: string
  readonly before?: readonly string[]
  readonly names: readonly string[]
  /** The actors that crash, where the others would only repeat them. */
  readonly crashing?: readonly string[]
  readonly actors: (world: World) => readonly Actor[]
  readonly rules?: Partial<Rules>
  /** Undefined: every order. */
  readonly preemptions?: number
}

async function tryAll(scenario: Scenario): Promise<Explored> {
  const explored = await explore({
    begin: () => makeWorld(scenario),
    actors: scenario.actors,
    check: checkWorld,
    preemptions: scenario.preemptions,
    maxRuns: 60_000,
  })
  if (!explored.isComplete) throw new Error('there are too many orders')
  return explored
}

/** Each actor in turn crashes before each of its steps. */
async function tryAllWithCrashes(scenario: Scenario): Promise<Explored> {
  const whole = await tryAll(scenario)
  for (const name of scenario.crashing ?? scenario.names) {
    for (let crashAt = 0; crashAt < (whole.steps.get(name) ?? 0); crashAt++) {
      const actors = (world: World) =>
        scenario.actors(world).map((actor) => (actor.name === name ? { ...actor, crashAt } : actor))
      await tryAll({ ...scenario, actors, preemptions: 1 })
    }
  }
  return whole
}

const reader = (world: World) => actor(world, 'reader', async (bucket) => void (await look(world, bucket)))
const writer = (world: World, name: string) =>
  actor(world, name, (bucket) => writeOnce(world, bucket, `by ${name}`))

for (const key of [OWN_KEY, PLAIN_KEY]) {
  const kind = key === OWN_KEY ? 'a document' : 'a state'

  const orders = key === OWN_KEY ? 'in every order' : 'in every order with up to three interruptions'
  test(`of two writers that replace ${kind}, ${orders}, one wins`, async () => {
    expect(
      await tryAll({
        key,
        before: ['one', 'two'],
        names: ['A', 'B'],
        actors: (world) => [writer(world, 'A'), writer(world, 'B')],
        ...(key === PLAIN_KEY ? { preemptions: 3 } : {}),
      }),
    ).toMatchObject({ isComplete: true })
  }, 120_000)

  test(`two replace ${kind}, one reads it, and any of them crashes anywhere`, async () => {
    expect(
      await tryAllWithCrashes({
        key,
        before: ['one', 'two'],
        names: ['A', 'B', 'reader'],
        crashing: ['A', 'reader'],
        preemptions: 2,
        actors: (world) => [writer(world, 'A'), writer(world, 'B'), reader(world)],
      }),
    ).toMatchObject({ isComplete: true })
  }, 120_000)

  test(`${kind} that two create is created once, though a third deletes it and crashes anywhere`, async () => {
    expect(
      await tryAllWithCrashes({
        key,
        names: ['A', 'B', 'deleter'],
        crashing: ['A', 'deleter'],
        preemptions: 2,
        actors: (world) => [
          actor(world, 'A', (bucket) => createOnce(world, bucket, 'by A')),
          actor(world, 'B', (bucket) => createOnce(world, bucket, 'by B')),
          actor(world, 'deleter', (bucket) => deleteOnce(world, bucket)),
        ],
      }),
    ).toMatchObject({ isComplete: true })
  }, 120_000)

  test.each([lookTwice, holdOn])(
    `who asks whether ${kind} is still what it was is not told so once somebody wrote: %o`,
    async (how) => {
      expect(
        await tryAllWithCrashes({
          key,
          before: ['one', 'two'],
          names: ['A', 'reader', 'other'],
          crashing: ['A'],
          preemptions: key === OWN_KEY ? 2 : 1,
          actors: (world) => [
            actor(world, 'A', async (bucket) => {
              await writeOnce(world, bucket, 'first by A')
              await writeOnce(world, bucket, 'second by A')
            }),
            actor(world, 'reader', (bucket) => how(world, bucket)),
            actor(world, 'other', async (bucket) => void (await look(world, bucket))),
          ],
        }),
      ).toMatchObject({ isComplete: true })
    },
    120_000,
  )

  test.each([lookTwice, holdOn])(
    `nor once somebody saw more of ${kind} who may not write: %o`,
    async (how) => {
      expect(
        await tryAllWithCrashes({
          key,
          before: ['one', 'two'],
          names: ['A', 'reader', VISITOR],
          crashing: ['A'],
          preemptions: 2,
          actors: (world) => [
            writer(world, 'A'),
            actor(world, 'reader', (bucket) => how(world, bucket)),
            actor(world, VISITOR, (bucket) => lookTwice(world, bucket)),
          ],
        }),
      ).toMatchObject({ isComplete: true })
    },
    120_000,
  )

  test(`a writer of ${kind} that sleeps while two others write and clean up is not told that it has written`, async () => {
    const scenario: Scenario = {
      key,
      before: ['one', 'two'],
      names: ['A', 'B'],
      preemptions: 1,
      actors: (world) => [
        writer(world, 'A'),
        actor(world, 'B', async (bucket) => {
          await writeOnce(world, bucket, 'first by B')
          await writeOnce(world, bucket, 'second by B')
        }),
      ],
    }

    await tryAll(scenario)
    await expect(tryAll({ ...scenario, rules: { checkBase: false } })).rejects.toThrow(/after the steps/)
  }, 120_000)
}

for (const how of ['in place', 'by rename'] as const) {
  test(`an edit ${how} is not lost to a writer and a reader, wherever they crash`, async () => {
    expect(
      await tryAllWithCrashes({
        key: PLAIN_KEY,
        before: ['one', 'two'],
        names: ['A', 'reader'],
        crashing: ['A'],
        preemptions: 2,
        actors: (world) => [writer(world, 'A'), outsider(world, how, 'edited'), reader(world)],
      }),
    ).toMatchObject({ isComplete: true })
  }, 120_000)

  test(`an edit ${how} of a state that is being deleted is not lost`, async () => {
    expect(
      await tryAllWithCrashes({
        key: PLAIN_KEY,
        before: ['one'],
        names: ['deleter', 'reader'],
        crashing: ['deleter'],
        preemptions: 2,
        actors: (world) => [
          actor(world, 'deleter', (bucket) => deleteOnce(world, bucket)),
          outsider(world, how, 'edited'),
          reader(world),
        ],
      }),
    ).toMatchObject({ isComplete: true })
  }, 120_000)
}

test('a late rename of an older generation is not taken for an edit', async () => {
  const scenario: Scenario = {
    key: PLAIN_KEY,
    before: ['one', 'two'],
    names: ['A', 'reader'],
    preemptions: 2,
    actors: (world) => [writer(world, 'A'), outsider(world, 'removes', ''), reader(world)],
  }

  await tryAll(scenario)
  await expect(tryAll({ ...scenario, rules: { dropOldPending: false } })).rejects.toThrow(/after the steps/)
}, 120_000)

test('an edit in place changes no generation, because the plain file is a copy', async () => {
  const scenario: Scenario = {
    key: PLAIN_KEY,
    before: ['one', 'two'],
    names: ['reader'],
    actors: (world) => [outsider(world, 'in place', 'edited'), reader(world)],
  }

  await tryAll(scenario)
  await expect(tryAll({ ...scenario, rules: { separateCopy: false } })).rejects.toThrow(/after the steps/)
})

const seed = Number(process.env['TACO_TEST_SEED'] ?? Date.now() % 1_000_000)

test.each([OWN_KEY, PLAIN_KEY])(
  `three writers, a deleter and an outsider in random orders: %s, seed ${seed}`,
  async (key) => {
    const random = randomFrom(seed)
    for (let i = 0; i < 400; i++) {
      const world = await makeWorld({
        key,
        before: ['one', 'two'],
        names: ['A', 'B', 'C', 'deleter', 'reader', VISITOR],
      })
      const actors = [
        ...['A', 'B', 'C'].map((name) =>
          actor(world, name, async (bucket) => {
            await writeOnce(world, bucket, `first by ${name}`)
            await writeOnce(world, bucket, `second by ${name}`)
          }),
        ),
        actor(world, 'deleter', (bucket) => deleteOnce(world, bucket)),
        actor(world, 'reader', async (bucket) => {
          await lookTwice(world, bucket)
          await holdOn(world, bucket)
        }),
        actor(world, VISITOR, async (bucket) => {
          await lookTwice(world, bucket)
          await holdOn(world, bucket)
        }),
        ...(key === PLAIN_KEY ? [outsider(world, random() < 0.5 ? 'in place' : 'by rename', 'edited')] : []),
      ]
      const crashing = Math.floor(random() * actors.length * 2)
      const crashAt = Math.floor(random() * 30)
      const trace = await runRandomly(
        actors.map((one, n) => (n === crashing && one.name !== 'outsider' ? { ...one, crashAt } : one)),
        random,
      )

      await expect(
        checkWorld(world),
        `seed ${seed}, run ${i}:\n  ${trace.join('\n  ')}`,
      ).resolves.toBeUndefined()
    }
  },
  120_000,
)

/** mulberry32 */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
