import { beforeAll, describe, expect, test } from 'vitest'
import type { CreateControl, Mutation } from './checker/mutant.ts'
import { loadControl } from './checker/mutant.ts'
import type { Scenario } from './checker/scenario.ts'
import { playAll } from './checker/scenario.ts'
import { cycle, exhaustiveCases, outsideCycle } from './checker/scenarios.ts'
import { traces } from './checker/traces.ts'

/** The same protocol where the mirror of the lock is a lease on the state: Azure, and `backend "azurerm"` beside us. */

const most = Number(process.env['TACO_CHAOS_RUNS'] ?? 100)
const leased = ({ store, ...scenario }: Scenario): Scenario => ({
  ...scenario,
  store: { ...store, contentHashTags: false, leases: true },
})

/** Scenarios that put a lock object there themselves, or are about deletes, say nothing about leases. */
const cases = exhaustiveCases
  .filter(({ scenario: { store } }) => store?.conditionalDelete !== false && store?.contentHashTags !== true)
  .filter(({ name }) => name !== 'an outsider that goes on after its lock was broken')
  .map(({ name, scenario }) => [name, leased(scenario)] as const)

/** B2, B3, B9 and B10 are about the mirror; the others need no more than that they hold. */
const mirrored = traces.filter(({ name }) => /^B(1|2|3|9|10):/.test(name))

interface Rule {
  readonly name: string
  readonly scenario: Scenario
  readonly without: Mutation
  readonly breaks: RegExp
}

const file = 'state/protocol/lease-mirror.ts'
const crashes: Scenario = {
  actors: { one: cycle('one', 2) },
  faults: { crash: 1, crashLate: 1, total: 1 },
}

const rules: readonly Rule[] = [
  {
    name: 'each epoch has a lease of its own, so that a late release misses the next holder',
    scenario: {
      actors: { one: cycle('one', 2), two: cycle('two', 3), outsider: outsideCycle(4) },
      faults: { late: 1, again: 1, total: 1, of: ['one'] },
      preemptions: 1,
    },
    without: { file, rule: '`opentaco lock ${id} ${epoch}`', instead: '`opentaco lock ${id}`' },
    breaks: /two holders at once/,
  },
  {
    name: 'a lease without a note is known by the next epoch, and not taken for a foreign one',
    scenario: crashes,
    without: {
      file,
      rule: 'doc.epoch === undefined ? [] : [doc.epoch + 1, doc.epoch]',
      instead: 'doc.epoch === undefined ? [] : [doc.epoch]',
    },
    breaks: /dead \.tflock|is still there/,
  },
  {
    name: 'a lease that was asked for long ago is not given any more',
    scenario: {
      actors: {
        one: async ({ client }) => void (await client.lock('one')),
        two: async ({ client }) => {
          for (const id of ['two', 'three']) if (await client.lock(id)) await client.unlock(id)
        },
      },
      faults: { late: 1, of: ['one'] },
      preemptions: 1,
    },
    without: {
      file,
      rule: 'leases.acquire(doc.key, id, found.tag)',
      instead: "leases.acquire(doc.key, id, 'always' as Tag)",
    },
    breaks: /dead \.tflock|is still there/,
  },
]

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

test.each(cases)('every order keeps the promises: %s', async (_name, scenario) => {
  const { runs } = await playAll(create, scenario, most)
  expect(runs).toBeGreaterThan(1)
})

describe('with the rule', () => {
  test.each([
    ...mirrored.map(({ name, scenario }) => [name, scenario] as const),
    ...rules.map(({ name, scenario }) => [name, scenario] as const),
  ])('%s', async (_name, scenario) => {
    const { runs } = await playAll(create, leased(scenario), most)
    expect(runs).toBeGreaterThan(1)
  })
})

describe('without the rule, it breaks', () => {
  test.each([
    ...mirrored.map((trace) => [trace.name, trace] as const),
    ...rules.map((rule) => [rule.name, { ...rule, without: [rule.without] }] as const),
  ])('%s', async (_name, { scenario, without, breaks }) => {
    const mutant = await loadControl(without)
    await expect(playAll(mutant, leased(scenario), 1000)).rejects.toThrow(breaks)
  })
})
