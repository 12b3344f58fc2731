import { callerNamed } from '../../support/caller.ts'
import type { StateControl } from '../../../src/state/index.ts'
import { LockInfo } from '../../../src/state/index.ts'
import { refused } from './clients.ts'
import type { Scenario, Stage } from './scenario.ts'
import { locked, writeFirst } from './traces.ts'
import { stateText, unit } from './world.ts'

/** What people do all day, at the same time and with everything that can go wrong in between. */

/** A CLI run: lock, write, unlock; a request without an answer is sent once more. */
export function cycle(id: string, serial: number): (stage: Stage) => Promise<void> {
  return async ({ client }) => {
    if (!(await client.lock(id)) && !(await client.lock(id))) return
    const text = stateText(serial, id)
    if (!(await client.write(id, text))) await client.write(id, text)
    if (!(await client.unlock(id))) await client.unlock(id)
  }
}

/** The same, with every repeated request going to another server. */
function cycleOnTwo(id: string, serial: number): (stage: Stage) => Promise<void> {
  return async ({ client, another }) => {
    const other = await another(`${id}2`)
    if (!(await client.lock(id)) && !(await client.lock(id, other))) return
    const text = stateText(serial, id)
    if (!(await client.write(id, text))) await client.write(id, text, other)
    if (!(await client.unlock(id))) await client.unlock(id, other)
  }
}

/** Behind a balancer: every request goes to the other server, which sees what the first has not tidied up yet. */
function cycleInTurn(id: string): (stage: Stage) => Promise<void> {
  return async ({ client, another }) => {
    const other = await another(`${id}2`)
    if (!(await client.lock(id)) && !(await client.lock(id, other))) return
    await client.write(id, stateText(2, id))
    await client.write(id, stateText(3, id), other)
    await client.write(id, stateText(4, id))
    if (!(await client.unlock(id, other))) await client.unlock(id)
  }
}

export const outsideCycle =
  (serial: number) =>
  async ({ outsider, name }: Stage): Promise<void> => {
    if (!(await outsider.lock())) return
    await outsider.write(stateText(serial, name))
    await outsider.unlock()
  }

export const sweep = async ({ server }: Stage): Promise<void> =>
  void (await refused(() => server.upkeep.sweep(callerNamed('sweep'))))

/** The holder of `one`, which it took before the run. */
const holder =
  (serial: number) =>
  async ({ client, world }: Stage): Promise<void> => {
    world.holds.push({ who: 'one', id: 'one', from: 0, to: Infinity })
    await client.write('one', stateText(serial, 'one'))
    await client.unlock('one')
  }

/** One long apply, which saves its state as it goes. */
const holderOfMany = async ({ client, world }: Stage): Promise<void> => {
  world.holds.push({ who: 'one', id: 'one', from: 0, to: Infinity })
  for (const serial of [2, 4, 6]) await client.write('one', stateText(serial, 'one'))
  await client.unlock('one')
}

const breaker =
  (id: string, serial: number) =>
  async ({ client }: Stage): Promise<void> => {
    await client.force()
    if (!(await client.lock(id))) return
    await client.write(id, stateText(serial, id))
    await client.unlock(id)
  }

export interface Case {
  readonly name: string
  readonly scenario: Scenario
}

const allFaults = { crash: 1, crashLate: 1, lost: 1, late: 1, again: 1, total: 1 }

export const exhaustiveCases: readonly Case[] = [
  {
    name: 'two servers lock, write and unlock',
    scenario: { actors: { one: cycle('one', 2), two: cycle('two', 3) }, preemptions: 2 },
  },
  {
    name: 'one server and every fault at every step',
    scenario: { actors: { one: cycle('one', 2) }, faults: { ...allFaults, total: 2 } },
  },
  {
    name: 'every repeated request goes to another server',
    scenario: { actors: { one: cycleOnTwo('one', 2) }, faults: { ...allFaults, total: 2 } },
  },
  {
    name: 'every request goes to the other of two servers, with any fault',
    scenario: { actors: { one: cycleInTurn('one') }, faults: allFaults },
  },
  {
    name: 'every request goes to the other of two servers, beside a sweep and an outsider without a lock',
    scenario: {
      actors: {
        one: cycleInTurn('one'),
        sweep,
        outsider: async ({ outsider }) => outsider.write(stateText(9, 'outsider')),
      },
      allow: { lockless: true },
      preemptions: 1,
    },
  },
  {
    name: 'a fault at every step of one of two servers',
    scenario: {
      actors: { one: cycle('one', 2), two: cycle('two', 3) },
      faults: { ...allFaults, of: ['one'] },
      preemptions: 1,
    },
  },
  {
    name: 'a holder is broken by force while it writes',
    scenario: {
      before: locked,
      actors: { one: holder(2), two: breaker('two', 3) },
      faults: { ...allFaults, of: ['one'] },
      preemptions: 1,
    },
  },
  {
    name: 'a lawful outsider and a server',
    scenario: { actors: { one: cycle('one', 2), outsider: outsideCycle(3) } },
  },
  {
    name: 'a lawful outsider and a server that meets faults',
    scenario: {
      actors: { one: cycle('one', 2), outsider: outsideCycle(3) },
      faults: { ...allFaults, of: ['one'] },
      preemptions: 1,
    },
  },
  {
    name: 'an outsider that ignores the lock',
    scenario: {
      before: locked,
      actors: { one: holder(2), outsider: async ({ outsider }) => outsider.write(stateText(3, 'outsider')) },
      faults: { ...allFaults, of: ['one'] },
      allow: { lockless: true },
      preemptions: 2,
    },
  },
  ...[
    { serial: 3, contentHashTags: true },
    { serial: 9, contentHashTags: false },
  ].map(({ serial, contentHashTags }) => ({
    name: `an outsider that ignores the lock of a long apply and writes serial ${serial}`,
    scenario: {
      store: { contentHashTags },
      before: locked,
      actors: {
        one: holderOfMany,
        outsider: async ({ outsider }: Stage) => outsider.write(stateText(serial, 'outsider')),
      },
      faults: { ...allFaults, of: ['one'] },
      allow: { lockless: true },
      preemptions: 1,
    },
  })),
  {
    name: 'a long apply is broken by force, and a lawful outsider comes',
    scenario: {
      before: locked,
      actors: { one: holderOfMany, two: breaker('two', 9), outsider: outsideCycle(11) },
      preemptions: 1,
    },
  },
  {
    name: 'an outsider that goes on after its lock was broken',
    scenario: {
      before: async (server: StateControl, world) => {
        await locked(server)
        await server.locks.unlock(unit, 'one', callerNamed('first'))
        world.store.put(
          'prod/net/terraform.tfstate.tflock',
          Buffer.from(JSON.stringify({ ID: 'outside-outsider', Who: 'outsider' })),
          'absent',
        )
      },
      actors: {
        outsider: async ({ outsider }) => {
          await outsider.write(stateText(3, 'outsider'))
          await outsider.unlock()
        },
        two: breaker('two', 4),
      },
      allow: { lockless: true },
      preemptions: 2,
    },
  },
  {
    name: 'a sweep comes between a server and an outsider',
    scenario: {
      actors: { one: cycle('one', 2), outsider: outsideCycle(3), sweep },
      faults: { crash: 1, of: ['one'] },
      preemptions: 1,
    },
  },
  {
    name: 'a lease runs out while its holder writes',
    scenario: {
      before: async (server) => {
        await writeFirst(server)
        const info = LockInfo.parse({ ID: 'one' })
        await server.locks.lock(unit, info, { leaseMs: 3_600_500 }, callerNamed('first'))
      },
      actors: {
        one: async ({ client }) => void (await client.write('one', stateText(2, 'one'))),
        two: async (stage) => {
          stage.world.passTime(1_000)
          await cycle('two', 3)(stage)
        },
      },
      faults: { crash: 1, late: 1, total: 1, of: ['one'] },
      preemptions: 2,
    },
  },
  {
    name: 'no conditional delete: two servers and an outsider',
    scenario: {
      store: { conditionalDelete: false },
      actors: { one: cycle('one', 2), two: cycle('two', 3), outsider: outsideCycle(4) },
      preemptions: 1,
    },
  },
  {
    name: 'no conditional delete: a server that crashes, one that goes on, and a sweep',
    scenario: {
      store: { conditionalDelete: false, contentHashTags: true },
      actors: { one: cycle('one', 2), two: cycle('two', 3), sweep },
      faults: { crash: 1, of: ['one'] },
      preemptions: 1,
    },
  },
  {
    name: 'tags that are hashes: two servers, one of which meets faults',
    scenario: {
      store: { contentHashTags: true },
      actors: { one: cycle('one', 2), two: cycle('two', 3) },
      faults: { ...allFaults, of: ['two'] },
      preemptions: 1,
    },
  },
]
