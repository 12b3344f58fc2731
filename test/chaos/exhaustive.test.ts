import { beforeAll, expect, test } from 'vitest'
import type { CreateControl } from './checker/mutant.ts'
import { loadControl } from './checker/mutant.ts'
import { playAll } from './checker/scenario.ts'
import { exhaustiveCases } from './checker/scenarios.ts'

/** `TACO_CHAOS_RUNS=100000` tries every order, and fails if there are more; without it, as many as fit into a minute. */
const asked = process.env['TACO_CHAOS_RUNS']
const most = Number(asked ?? 600)

/** Longer names would be cut. */
const named = exhaustiveCases.map((one) => [one.name, one] as const)

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

test.each(named)('every order keeps the promises: %s', async (name, { scenario }) => {
  const { runs, steps, isComplete, ms } = await playAll(create, scenario, most)
  console.log(
    `${name}: ${runs} orders${isComplete ? ', all there are' : ''}, ${steps} steps, ${Math.round(ms)} ms`,
  )
  expect(runs).toBeGreaterThan(1)
  if (asked !== undefined) expect(isComplete).toBe(true)
})
