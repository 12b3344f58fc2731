import { describe, expect, test } from 'vitest'
import { addressCases, manyNames } from './address-scenarios.ts'
import type { Mutation } from './mutant.ts'
import { loadControl } from './mutant.ts'
import { realControl } from './play.ts'
import { playAll, playRandomly } from './scenario.ts'
import { seeded } from './seeded.ts'

const seed = Number(process.env['TACO_CHAOS_SEED'] ?? Date.now() % 1_000_000)
const runs = Number(process.env['TACO_CHAOS_RUNS'] ?? 200)
/** Far more than there are: a case that outgrows it is no longer tried completely, and fails. */
const MOST = 20_000

const named = addressCases.map((one) => [one.name, one] as const)

/** What each case rests on. Taken out, one of its orders must show it. */
const rules: readonly {
  readonly rule: string
  readonly of: string
  readonly without: Mutation
  readonly breaks?: RegExp
}[] = [
  {
    rule: 'a name that led to a unit a moment ago is confirmed',
    of: 'a name is given up, taken by another unit and written',
    without: {
      file: 'state/intake/read-state.ts',
      rule: 'await readAt(placeKey, place.unit, store.revalidate(place.unit), options)',
      instead: 'await getState(place.unit, options)',
    },
  },
  {
    rule: 'a name that led to a unit a moment ago is confirmed',
    of: 'two names are swapped',
    without: {
      file: 'state/intake/read-state.ts',
      rule: 'await readAt(placeKey, place.unit, store.revalidate(place.unit), options)',
      instead: 'await getState(place.unit, options)',
    },
  },
  {
    rule: 'a state that the document does not know is confirmed once more, after it was read',
    of: 'a unit is renamed and written under its new name',
    without: {
      file: 'state/intake/read-state.ts',
      rule: 'during === undefined || hasTag(store.folded(during), tag) ? during : await store.revalidate(during)',
      instead: 'during',
    },
  },
  {
    rule: 'a unit that came back to its name is not one that kept it',
    of: 'a unit is renamed, written from outside and renamed back',
    without: {
      file: 'state/intake/read-state.ts',
      rule: 'value.moves === before.value.moves',
      instead: 'true',
    },
  },
  {
    rule: 'a lock is taken under the name that was asked for',
    of: 'an engine applies under a name while it is given up',
    without: {
      file: 'state/protocol/lock.ts',
      rule: `    const now = await loadUnit(parts, target)
    const doc = now.value`,
      instead: `    const now = await loadUnit(parts, { org: target.org, id: target.id })
    const doc = now.value`,
    },
  },
  {
    rule: 'a name that was in use is not free',
    of: 'an engine applies under a name while it is given up',
    without: {
      file: 'state/units/unit-making.ts',
      rule: '{ takeOver: input.takeOver ?? true }',
      instead: '{ takeOver: true }',
    },
    breaks: /which \S+ had given up/,
  },
]

describe('every client that reads, writes or locks by a name gets an answer that was true at some moment', () => {
  test.each(named)('in every order: %s', async (name, { scenario }) => {
    const { runs, steps, ms, isComplete } = await playAll(await realControl(), scenario, MOST)
    console.log(`${name}: ${runs} orders, ${steps} steps, ${Math.round(ms)} ms`)
    expect(isComplete).toBe(true)
    expect(runs).toBeGreaterThan(10)
  })

  test.each([
    ['generations', {}],
    ['hashes, no conditional delete', { contentHashTags: true, conditionalDelete: false }],
  ])('in random orders, with crashes and lost answers: %s', async (_name, store) => {
    try {
      const { steps } = await playRandomly(await realControl(), { ...manyNames, store }, runs, seeded(seed))
      console.log(`${runs} runs, ${steps} steps, TACO_CHAOS_SEED=${seed}`)
      expect(steps).toBeGreaterThan(runs * 10)
    } catch (error) {
      throw new Error(`repeat it with TACO_CHAOS_SEED=${seed} TACO_CHAOS_RUNS=${runs}`, { cause: error })
    }
  })
})

describe('without its rule, a client gets an answer that was never true', () => {
  test.each(rules.map((one) => [one.rule, one.of, one] as const))(
    '%s: %s',
    async (_rule, _of, { of, without, breaks = /told what was true at no moment/ }) => {
      const scenario = addressCases.find(({ name }) => name === of)?.scenario
      if (scenario === undefined) throw new Error(`there is no case ${of}`)
      const mutant = await loadControl([without])
      await expect(playAll(mutant, scenario, MOST)).rejects.toThrow(breaks)
    },
  )
})
