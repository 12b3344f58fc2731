import { alice } from '../../support/caller.ts'
import { callerNamed } from '../../support/caller.ts'
import type { StateControl } from '../../../src/state/index.ts'
import type { Client, Outsider } from './clients.ts'
import { createClient, createOutsider } from './clients.ts'
import type { Begun, Explored, Faults } from './explore.ts'
import { explore, exploreRandomly } from './explore.ts'
import type { CreateControl } from './mutant.ts'
import type { Allowances } from './promises.ts'
import { checkPromises } from './promises.ts'
import type { StoreOptions } from './store.ts'
import type { Beginning, World } from './world.ts'
import { beginWorld, prepare, stateText, unit } from './world.ts'

/** The actors: each is one process with one server in front of the bucket, or a program that goes to it directly. */
export interface Scenario {
  readonly store?: Partial<StoreOptions>
  /** Before the run begins, without interference. A unit with one version is there by default. */
  readonly before?: (server: StateControl, world: World) => Promise<void>
  readonly actors: Readonly<Record<string, (stage: Stage) => Promise<void>>>
  readonly faults?: Faults
  readonly preemptions?: number
  /** Keys whose operations take turns, beyond the unit's document, its state and its lock. */
  readonly visible?: (key: string) => boolean
  readonly allow?: Allowances
  /** Beyond the promises. */
  readonly check?: (world: World) => Promise<void> | void
}

export interface Stage {
  readonly world: World
  readonly name: string
  /** This actor's own server. */
  readonly server: StateControl
  readonly client: Client
  readonly outsider: Outsider
  /** Another server on the same machine: it goes down with this one. */
  another(name: string): Promise<StateControl>
}

export const firstState = stateText(1, 'first')

async function firstVersion(server: StateControl): Promise<void> {
  const state = await server.states.receive(
    [Buffer.from(firstState)] as never,
    {
      maxBytes: 1e9,
      org: 'default',
    },
    alice,
  )
  await server.states.write(unit, state, { how: 'backend', createUnit: true }, callerNamed('first'))
  await server.upkeep.sweep(callerNamed('first'))
}

export interface Play extends Explored {
  readonly ms: number
}

/** Every order, up to `maxRuns`. Throws with the steps that led to a broken promise. */
export async function playAll(create: CreateControl, scenario: Scenario, maxRuns: number): Promise<Play> {
  const startedAt = performance.now()
  const beginning = await beginningOf(create, scenario)
  const explored = await explore({
    begin: () => begin(beginning, scenario),
    maxRuns,
    ...(scenario.faults === undefined ? {} : { faults: scenario.faults }),
    ...(scenario.preemptions === undefined ? {} : { preemptions: scenario.preemptions }),
  })
  return { ...explored, ms: performance.now() - startedAt }
}

/** `runs` random orders. */
export async function playRandomly(
  create: CreateControl,
  scenario: Scenario,
  runs: number,
  random: () => number,
): Promise<Play> {
  const startedAt = performance.now()
  const beginning = await beginningOf(create, scenario)
  let steps = 0
  for (let run = 0; run < runs; run++) {
    const explored = await exploreRandomly(
      {
        begin: () => begin(beginning, scenario),
        ...(scenario.faults === undefined ? {} : { faults: scenario.faults }),
      },
      random,
    )
    steps += explored.steps
  }
  return { runs, steps, isComplete: false, ms: performance.now() - startedAt }
}

function beginningOf(create: CreateControl, { store, before = firstVersion }: Scenario): Promise<Beginning> {
  const options = { contentHashTags: false, conditionalDelete: true, ...store }
  return prepare(create, options, async (world) => before(await world.healthy('before'), world))
}

async function begin(beginning: Beginning, scenario: Scenario): Promise<Begun> {
  const world = beginWorld(beginning, undefined, scenario.visible)
  const { schedule } = world
  for (const [name, act] of Object.entries(scenario.actors)) {
    const server = await world.server(name)
    const client = createClient(world, name, server)
    const outsider = createOutsider(world, name)
    const another = (other: string) => world.server(name, {}, other)
    schedule.start(name, () => act({ world, name, server, client, outsider, another }))
  }
  return {
    schedule,
    async check() {
      await checkPromises(world, scenario.allow)
      await scenario.check?.(world)
    },
  }
}
