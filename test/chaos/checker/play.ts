import { expect } from 'vitest'
import type { CreateControl } from './mutant.ts'
import { loadControl } from './mutant.ts'
import type { Scenario } from './scenario.ts'
import { playAll } from './scenario.ts'

let loaded: Promise<CreateControl> | undefined

/** The code as it is, made ready once for all tests of a file. */
export function realControl(): Promise<CreateControl> {
  loaded ??= loadControl()
  return loaded
}

/** The code as it is in every order that the scenario allows, up to so many. */
export async function play(scenario: Scenario, maxRuns = 1_500): Promise<void> {
  const { runs } = await playAll(await realControl(), scenario, maxRuns)
  expect(runs).toBeGreaterThan(1)
}
