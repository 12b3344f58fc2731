import { alice } from '../../support/caller.ts'
import { callerNamed } from '../../support/caller.ts'
import type { StateControl } from '../../../src/state/index.ts'
import { addressesOf, checkAddresses, type Addresses } from './addresses.ts'
import type { Scenario, Stage } from './scenario.ts'
import { stateText, unit } from './world.ts'

/** Names are given, swapped, given up and taken again, while other clients read by them through their own servers. */

const text = (value: string) => stateText(1, value, { lineage: value })

type Deed = (addresses: Addresses, server: StateControl) => Promise<void>

const actor =
  (...deeds: readonly Deed[]) =>
  async ({ world, name, server }: Stage): Promise<void> => {
    const addresses = addressesOf(world, name)
    for (const deed of deeds) await deed(addresses, server)
  }

const read =
  (name: string): Deed =>
  (a, s) =>
    a.read(s, name)
const write =
  (name: string, value: string): Deed =>
  (a, s) =>
    a.write(s, name, text(value))
/** The next state of the unit that was `a` at first. */
const push =
  (name: string, serial: number): Deed =>
  (a, s) =>
    a.write(s, name, stateText(serial, `a${serial}`, { lineage: 'a' }))
const lock =
  (name: string): Deed =>
  (a, s) =>
    a.lock(s, name, `lock of ${name}`)
const create =
  (name: string): Deed =>
  (a, s) =>
    a.create(s, name)
const rename =
  (from: string, to: string): Deed =>
  (a, s) =>
    a.rename(s, from, to)
const remove =
  (name: string): Deed =>
  (a, s) =>
    a.remove(s, name)
const restore =
  (name: string): Deed =>
  (a, s) =>
    a.restore(s, name)

async function units(server: StateControl, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const state = await server.states.receive(
      [Buffer.from(text(name))] as never,
      {
        maxBytes: 1e9,
        org: 'default',
      },
      alice,
    )
    const options = { how: 'backend', createUnit: true } as const
    await server.states.write({ org: 'default', unit: name }, state, options, callerNamed('first'))
  }
  await server.upkeep.sweep(callerNamed('first'))
}

const small = {
  allow: { isGone: true },
  preemptions: 2,
  check: (world) => void checkAddresses(world),
} satisfies Partial<Scenario>

export interface AddressCase {
  readonly name: string
  readonly scenario: Scenario
}

export const addressCases: readonly AddressCase[] = [
  {
    name: 'a name is given up, taken by another unit and written',
    scenario: {
      ...small,
      before: (server) => units(server, 'a'),
      actors: {
        one: actor(rename('a', 'z'), create('a'), write('a', 'second')),
        two: actor(read('a'), read('a'), read('z')),
      },
    },
  },
  {
    name: 'two names are swapped',
    scenario: {
      ...small,
      before: (server) => units(server, 'a', 'b'),
      actors: {
        one: actor(rename('a', 'between'), rename('b', 'a'), rename('between', 'b')),
        two: actor(read('a'), read('b'), read('a')),
      },
    },
  },
  {
    name: 'a unit is renamed and written under its new name',
    scenario: {
      ...small,
      before: (server) => units(server, 'a'),
      actors: {
        one: actor(rename('a', 'z'), push('z', 2)),
        two: actor(read('a'), read('a')),
      },
      preemptions: 3,
    },
  },
  {
    name: 'a unit is renamed, written from outside and renamed back',
    scenario: {
      ...small,
      before: (server) => units(server, unit.unit),
      actors: {
        one: async (stage) => {
          await actor(rename(unit.unit, 'z'))(stage)
          await stage.outsider.write(text('outside'))
          await stage.outsider.write(text('outside too'))
          await actor(rename('z', unit.unit))(stage)
        },
        two: actor(read(unit.unit), read(unit.unit)),
      },
      preemptions: 3,
    },
  },
  {
    name: 'a unit is deleted, and its name and place go to another one',
    scenario: {
      ...small,
      before: (server) => units(server, 'a'),
      actors: {
        one: actor(remove('a'), create('a'), write('a', 'second')),
        two: actor(read('a'), read('a')),
      },
    },
  },
  {
    name: 'a unit is deleted and restored',
    scenario: {
      ...small,
      before: (server) => units(server, 'a'),
      actors: {
        one: actor(remove('a'), restore('a')),
        two: actor(read('a'), read('a')),
      },
    },
  },
  {
    name: 'an engine applies under a name while it is given up',
    scenario: {
      ...small,
      before: (server) => units(server, 'a'),
      actors: {
        one: actor(rename('a', 'z')),
        two: actor(read('a'), lock('a'), read('a')),
      },
    },
  },
  {
    name: 'a unit comes into being by its first use',
    scenario: {
      ...small,
      before: async () => {},
      actors: {
        one: actor(write('a', 'first'), read('a')),
        two: actor(read('a'), read('a')),
      },
    },
  },
]

/** Everything that changes names at once, and readers, over two names and one in between. */
export const manyNames: Scenario = {
  allow: { isGone: true },
  before: (server) => units(server, 'a', 'b'),
  actors: {
    swapper: actor(rename('a', 'between'), rename('b', 'a'), rename('between', 'b'), read('a'), read('b')),
    taker: actor(read('a'), create('a'), write('a', 'taker'), read('a'), create('b'), read('b')),
    remover: actor(read('b'), remove('a'), read('a'), restore('a'), read('a')),
    user: actor(
      lock('between'),
      write('b', 'user'),
      read('b'),
      write('between', 'user too'),
      read('between'),
    ),
    reader: actor(read('a'), read('b'), read('between'), read('a'), read('b'), read('between'), read('a')),
  },
  faults: { crash: 2, crashLate: 1, lost: 2, late: 1, again: 1, total: 3 },
  check: (world) => void checkAddresses(world),
}
