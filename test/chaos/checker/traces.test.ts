import { beforeAll, describe, expect, test } from 'vitest'
import type { CreateControl } from './mutant.ts'
import { loadControl } from './mutant.ts'
import { playAll } from './scenario.ts'
import { traces } from './traces.ts'

/** Enough for all of them to be complete. */
const MOST = 20_000

/** Longer names would be cut. */
const named = traces.map((trace) => [trace.name, trace] as const)

describe('the ways in which simpler protocols fail', () => {
  let create: CreateControl
  beforeAll(async () => {
    create = await loadControl()
  })

  test.each(named)('%s', async (_name, { scenario }) => {
    const { runs, isComplete } = await playAll(create, scenario, MOST)
    expect(isComplete).toBe(true)
    expect(runs).toBeGreaterThan(1)
  })
})

describe('without its rule, each failure returns', () => {
  test.each(named)('%s', async (_name, { scenario, without, breaks }) => {
    const mutant = await loadControl(without)
    await expect(playAll(mutant, scenario, MOST)).rejects.toThrow(breaks)
  })
})
