import { beforeAll, expect, test } from 'vitest'
import type { CreateControl } from './checker/mutant.ts'
import { loadControl } from './checker/mutant.ts'
import type { Scenario } from './checker/scenario.ts'
import { playRandomly } from './checker/scenario.ts'
import { cycle, outsideCycle, sweep } from './checker/scenarios.ts'
import { seeded } from './checker/seeded.ts'
import { stateText } from './checker/world.ts'

const seed = Number(process.env['TACO_CHAOS_SEED'] ?? Date.now() % 1_000_000)
const runs = Number(process.env['TACO_CHAOS_RUNS'] ?? 300)

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

const everything = { crash: 2, crashLate: 1, lost: 2, late: 2, again: 2, total: 4 }

const large: Scenario = {
  actors: {
    one: cycle('one', 2),
    two: cycle('two', 3),
    three: cycle('three', 4),
    forcer: async ({ client }) => {
      await client.force()
      if (await client.lock('forcer')) await client.write('forcer', stateText(5, 'forcer'))
      await client.unlock('forcer')
    },
    unlocked: async ({ client }) => {
      await client.write(undefined, stateText(6, 'unlocked'))
      await client.write(undefined, stateText(7, 'unlocked'))
    },
    outsider: outsideCycle(8),
    sweep,
  },
  faults: { ...everything, of: ['one', 'two', 'three', 'forcer', 'unlocked', 'sweep'] },
}

// An outsider whose lock is forced away continues all the same: then exclusion against it is not promised.
const cases: readonly { readonly name: string; readonly scenario: Scenario }[] = [
  { name: 'generations', scenario: { ...large, allow: { lockless: true } } },
  { name: 'hashes', scenario: { ...large, store: { contentHashTags: true }, allow: { lockless: true } } },
  {
    name: 'no conditional delete',
    scenario: {
      ...large,
      store: { conditionalDelete: false, contentHashTags: true },
      // A DELETE that outlives T is beyond what can be promised there.
      faults: { crash: 2, lost: 2, again: 1, total: 3, of: ['one', 'two', 'three', 'unlocked', 'sweep'] },
      allow: { lockless: true },
    },
  },
]

test.each(cases.map((one) => [one.name, one] as const))(
  'many actors and faults keep the promises in random orders: %s',
  async (name, { scenario }) => {
    const random = seeded(seed)
    try {
      const play = await playRandomly(create, scenario, runs, random)
      console.log(
        `${name}: ${play.runs} runs, ${play.steps} steps, ${Math.round(play.ms)} ms, TACO_CHAOS_SEED=${seed}`,
      )
      expect(play.steps).toBeGreaterThan(runs)
    } catch (error) {
      throw new Error(`repeat it with TACO_CHAOS_SEED=${seed} TACO_CHAOS_RUNS=${runs}`, { cause: error })
    }
  },
)
