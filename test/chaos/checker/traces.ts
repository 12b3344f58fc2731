import { alice } from '../../support/caller.ts'
import { callerNamed } from '../../support/caller.ts'
import { LockInfo, type StateControl } from '../../../src/state/index.ts'
import { refused } from './clients.ts'
import type { Mutation } from './mutant.ts'
import { readUnit } from './promises.ts'
import type { Scenario, Stage } from './scenario.ts'
import { firstState } from './scenario.ts'
import type { World } from './world.ts'
import { hashOf, stateText, tflockKey, unit } from './world.ts'

/**
 * The ways in which simpler protocols fail, B1 to B14 of the protocol and some more: the actors, and the rule that
 * prevents it. Every order of the actors is tried, with the rule (nothing may break) and without (something must).
 */
export interface Trace {
  readonly name: string
  readonly scenario: Scenario
  /** Taken out, the rule leaves this much of a protocol. */
  readonly without: readonly Mutation[]
  /** How it shows. */
  readonly breaks: RegExp
}

const second = stateText(2, 'second')
const third = stateText(3, 'third')
const someCaller = callerNamed('first')

export async function writeFirst(server: StateControl, text = firstState, lockId?: string): Promise<void> {
  const state = await server.states.receive(
    [Buffer.from(text)] as never,
    { maxBytes: 1e9, org: 'default' },
    alice,
  )
  const lock = lockId === undefined ? {} : { lockId }
  await server.states.write(unit, state, { how: 'backend', createUnit: true, ...lock }, someCaller)
}

/** One version, and the lock `one` held. */
export async function locked(server: StateControl): Promise<void> {
  await writeFirst(server)
  await server.locks.lock(unit, LockInfo.parse({ ID: 'one' }), {}, someCaller)
  await server.upkeep.sweep(someCaller)
}

const holdsOne = (world: World) => void world.holds.push({ who: 'one', id: 'one', from: 0, to: Infinity })

/** UNLOCK of 1, LOCK of 2 and an outsider's lock, all at once. */
const handOver: Scenario = {
  before: locked,
  actors: {
    one: async ({ client, world }) => {
      holdsOne(world)
      await client.unlock('one')
    },
    two: async ({ client }) => void (await client.lock('two')),
    outsider: async ({ outsider }) => void (await outsider.lock()),
  },
}

/** The holder writes while its lock is broken and the next one writes. */
const broken: Scenario = {
  before: locked,
  actors: {
    one: async ({ client, world }) => {
      holdsOne(world)
      await client.write('one', second)
    },
    two: async ({ client }) => {
      await client.force()
      if (await client.lock('two')) await client.write('two', third)
    },
  },
  preemptions: 2,
}

/** What was seen of runs under a lock that is broken from outside, by the run. */
const seen = new WeakMap<World, { takenAt: number; startedAt: number; isDone: boolean }>()

/** An outsider deletes the holder's `.tflock`, takes the lock and continues, while the holder works. */
function brokenOutside(work: (stage: Stage) => Promise<boolean>): Scenario {
  return {
    before: locked,
    actors: {
      one: async (stage) => {
        const { world, name } = stage
        holdsOne(world)
        // Takes a turn, so that the work also begins after the lock was broken.
        const execute = () => world.store.get(tflockKey)
        await world.schedule.gate(name)({ kind: 'get', key: tflockKey, writes: false, execute })
        const startedAt = world.schedule.steps()
        const isDone = await work(stage)
        seen.set(world, { takenAt: Infinity, ...seen.get(world), startedAt, isDone })
      },
      outsider: async ({ outsider, world, name }) => {
        const execute = () => world.store.delete(tflockKey, 'always')
        await world.schedule.gate(name)({ kind: 'delete', key: tflockKey, writes: true, execute })
        if (!(await outsider.lock())) return
        const takenAt = world.schedule.steps()
        seen.set(world, { startedAt: 0, isDone: false, ...seen.get(world), takenAt })
      },
    },
    allow: { lockless: true },
    check: (world) => {
      const { takenAt = Infinity, startedAt = 0, isDone = false } = seen.get(world) ?? {}
      if (isDone && takenAt <= startedAt) throw new Error('worked under a lock that somebody else had taken')
    },
  }
}

const writesUnderOne = ({ client }: Stage) => client.write('one', second)
const removesUnderOne = async ({ server }: Stage) =>
  !(await refused(() => server.states.remove(unit, { lockId: 'one', force: true }, someCaller)))
const ignoresForeign = 'worked under a lock that somebody else had taken'

const forgetsIntent: Mutation = {
  file: 'state/protocol/release.ts',
  rule: 'const resolved = unit.value.write === null ? unit : await resolveIntent(parts, unit)',
  instead: 'const resolved = { ...unit, value: { ...unit.value, write: null } }',
}

export const traces: readonly Trace[] = [
  {
    name: 'B1: the .tflock of a LOCK that crashed does not count as foreign for ever',
    scenario: {
      actors: {
        one: async ({ client }) => {
          if (await client.lock('one')) await client.unlock('one')
        },
      },
      faults: { crash: 1, crashLate: 1, total: 1 },
    },
    without: [
      {
        file: 'state/protocol/reconcile.ts',
        rule: "if (mirror.kind !== 'ours') return undefined",
        instead: "if (mirror.kind !== 'ours' || mirror.epoch > doc.epoch) return undefined",
      },
    ],
    breaks: /dead \.tflock/,
  },
  {
    name: 'B2: a left-over .tflock is rewritten when it is taken over, so that the late DELETE of its owner misses',
    scenario: handOver,
    without: [
      {
        file: 'state/protocol/lock.ts',
        rule: 'return (await parts.mirrors.replace(doc, lock, mirror.tag)) ?? again',
        instead: 'return { tag: mirror.tag }',
      },
    ],
    breaks: /two holders at once/,
  },
  {
    name: "B3: an UNLOCK deletes its own .tflock, never the next holder's",
    scenario: handOver,
    without: [
      {
        file: 'state/protocol/release.ts',
        rule: "if (mirror.kind !== 'ours' || mirror.epoch > doc.epoch) return undefined",
        instead: "if (mirror.kind !== 'ours') return undefined",
      },
    ],
    breaks: /two holders at once/,
  },
  {
    name: 'B4: a writer whose lock was forced away does not land after the next holder',
    scenario: broken,
    without: [forgetsIntent],
    breaks: /landed after|in no history|is credited/,
  },
  {
    name: 'B5: an acknowledged write is in the history even if an outsider writes right after the unlock',
    scenario: {
      before: locked,
      actors: {
        one: async ({ client, world }) => {
          holdsOne(world)
          await client.write('one', second)
          await client.unlock('one')
        },
        outsider: async ({ outsider }) => {
          if (await outsider.lock()) await outsider.write(third)
        },
      },
    },
    without: [
      {
        file: 'state/documents/unit-store.ts',
        rule: 'return { ...unit, value: applied(unit.value, completeWrite(unit.value, tag)) }',
        instead: 'return { ...unit, value: { ...unit.value, write: null, seq: unit.value.seq - 1 } }',
      },
    ],
    breaks: /in no history|is credited/,
  },
  {
    name: 'B6: a state that was current is in the history, though its writer crashed and an outsider wrote next',
    scenario: {
      before: locked,
      actors: {
        one: async ({ client, world }) => {
          holdsOne(world)
          await client.write('one', second)
        },
        retry: async ({ client }) => void (await client.unlock('one')),
        outsider: async ({ outsider }) => {
          if (!(await outsider.lock())) return
          await outsider.write(third)
          await outsider.unlock()
        },
      },
      faults: { crash: 1, of: ['one'] },
      preemptions: 2,
    },
    without: [forgetsIntent],
    breaks: /in no history|has a hole|is credited/,
  },
  {
    name: 'B7: the same bytes from outside are not credited to a writer who never committed them',
    scenario: {
      before: locked,
      actors: {
        one: async ({ client, world }) => {
          holdsOne(world)
          await client.write('one', second)
        },
        outsider: async ({ outsider }) => outsider.write(second),
      },
      faults: { crash: 1, of: ['one'] },
      allow: { lockless: true },
      check: async (world) => {
        if (world.documents.some(({ write }) => write?.kind === 'write' && write.by === 'one')) return
        const { items } = await (await world.healthy('reader')).versions.list(unit, { limit: 10 }, alice)
        for (const { sha256, how, by } of items)
          if (sha256 === hashOf(second) && how !== 'outside') throw new Error(`credited to ${by} by guess`)
      },
    },
    without: [
      {
        file: 'state/protocol/record-outside-write.ts',
        rule: "...authorOf(OUTSIDE),\n      how: 'outside',",
        instead: "by: doc.lock?.by ?? '', how: 'backend',",
      },
    ],
    breaks: /credited to/,
  },
  {
    name: 'B8: a LOCK that stalled while its client went on elsewhere does not lock again after the unlock',
    scenario: {
      actors: {
        stalled: async ({ server }) => {
          await refused(() => server.locks.lock(unit, LockInfo.parse({ ID: 'same' }), {}, someCaller))
        },
        retry: async ({ client }) => {
          if (await client.lock('same')) await client.unlock('same')
        },
      },
    },
    without: [
      {
        file: 'state/protocol/lock.ts',
        rule: 'if (wasReleased(doc, request.info.ID)) throw lockNotHeld(doc, request.info.ID)',
        instead: '',
      },
      {
        file: 'state/protocol/lock.ts',
        rule: 'if (wasReleased(doc, lock.id)) throw lockNotHeld(doc, lock.id)',
        instead: '',
      },
    ],
    breaks: /nobody holds the lock same/,
  },
  {
    name: 'B9: the loser of a race for the lock leaves the .tflock alone, which may be the winner’s by now',
    scenario: {
      actors: {
        one: async ({ client }) => void (await client.lock('one')),
        two: async ({ client }) => void (await client.lock('two')),
        outsider: async ({ outsider }) => void (await outsider.lock()),
      },
    },
    without: [
      {
        file: 'state/protocol/lock.ts',
        rule: 'if (doc.lock !== null && doc.lock.releasing === undefined) throw lockedByHolder(doc, doc.lock)',
        instead: `if (doc.lock !== null && doc.lock.releasing === undefined) {
          const mine = parts.mirrors.knownTag(doc, lock)
          if (mine !== undefined) await parts.mirrors.remove(doc, mine)
          throw lockedByHolder(doc, doc.lock)
        }`,
      },
    ],
    breaks: /two holders at once/,
  },
  {
    name: 'B10: a sweep deletes the .tflock of a LOCK under way only after making that LOCK fail',
    scenario: {
      actors: {
        one: async ({ client }) => void (await client.lock('one')),
        sweep: async ({ server }) => void (await server.upkeep.sweep(callerNamed('sweep'))),
        outsider: async ({ outsider }) => void (await outsider.lock()),
      },
    },
    without: [
      {
        file: 'state/protocol/reconcile.ts',
        rule: 'if (mirror.epoch > doc.epoch) {',
        instead: 'if (false) {',
      },
    ],
    breaks: /two holders at once/,
  },
  {
    name: 'B11: a look reads the state after the document, so that a write in between is not old bytes from outside',
    scenario: {
      before: locked,
      actors: {
        one: async ({ client, world }) => {
          holdsOne(world)
          await client.write('one', second)
          await client.unlock('one')
        },
        sweep: async ({ server }) => void (await server.upkeep.sweep(callerNamed('sweep'))),
        outsider: async ({ outsider }) => outsider.write(third),
      },
      allow: { lockless: true },
      preemptions: 2,
      check: checkNothingTwice,
    },
    without: [
      {
        file: 'state/protocol/record-outside-write.ts',
        rule: 'return parts.store.swap(unit, outside.changes, outside.events)',
        instead: `const late = (await parts.store.load(doc.org, doc.id)) ?? unit
          return late.value.write !== null ? undefined : parts.store.swap(late, outside.changes, outside.events)`,
      },
    ],
    breaks: /credited|twice|is not the current version|in no history/,
  },
  {
    name: 'B12: a lock is not let go because its answer could not be delivered; the retry got it elsewhere',
    scenario: {
      actors: {
        one: async ({ client, another }) => {
          const other = await another('other')
          if (await client.lock('one')) return
          await client.lock('one', other)
        },
        outsider: async ({ outsider }) => void (await outsider.lock()),
      },
      faults: { lost: 1, late: 1, total: 1, of: ['one'] },
    },
    without: [
      {
        file: 'state/protocol/lock.ts',
        rule: 'const swapped = await parts.store.swap(unit, changes, [takenEvent(lock, caller)])',
        instead: `const swapped = await parts.store.swap(unit, changes, [takenEvent(lock, caller)]).catch(async (error) => {
          void (async () => {
            const now = await loadUnit(parts, target)
            if (now.value.lock?.id === lock.id) await releaseLock(parts, now, takenEvent(lock, caller))
          })()
          throw error
        })`,
      },
    ],
    breaks: /two holders at once|NOT_LOCKED|nobody holds/,
  },
  {
    name: 'B13: an event that was committed is told once, whatever crashes before it is in the journal',
    scenario: {
      before: locked,
      actors: {
        one: async ({ client, world }) => {
          holdsOne(world)
          await client.write('one', second)
          await client.unlock('one')
        },
      },
      faults: { crash: 1, crashLate: 1, total: 1 },
    },
    without: [
      {
        file: 'bucket/documents/document-store.ts',
        rule: 'outbox: [...outbox.unsent(before.outbox ?? []), ...events]',
        instead: 'outbox: outbox.unsent(before.outbox ?? [])',
      },
    ],
    breaks: /was told 0 times/,
  },
  {
    name: 'B14: an encrypted state comes back byte for byte, though its tag comes back with it',
    scenario: {
      store: { contentHashTags: true },
      before: async (server) => {
        await writeFirst(server, encrypted('one', 1))
        await writeFirst(server, encrypted('two', 2))
        await server.upkeep.sweep(someCaller)
      },
      actors: {
        one: async ({ server }) =>
          void (await refused(() => server.versions.rollback(unit, '1', { keepSerial: true }, someCaller))),
        sweep: async ({ server }) => void (await server.upkeep.sweep(callerNamed('sweep'))),
      },
      faults: { crash: 1, again: 1, total: 1, of: ['one'] },
      preemptions: 1,
      check: (world) => {
        const texts = [encrypted('one', 1), encrypted('two', 2)].map((text) => hashOf(text))
        for (const { hash } of world.landed)
          if (hash !== undefined && !texts.includes(hash) && hash !== world.landed.at(-1)?.hash)
            throw new Error('other bytes than the old ones came back')
        if (readUnit(world).write !== null) throw new Error('the rollback was left half done')
      },
    },
    without: [
      {
        file: 'state/intake/write-above.ts',
        rule: 'const keepSerial = write.keepSerial === true || isLastState(doc, write)',
        instead: 'const keepSerial = isLastState(doc, write)',
      },
    ],
    breaks: /other bytes than the old ones|one failed/,
  },
  {
    name: 'a write under a lock that was broken and taken from outside is refused',
    scenario: brokenOutside(writesUnderOne),
    without: [
      {
        file: 'state/protocol/write.ts',
        rule: "if (mirror === 'foreign') return lockLostOutside(doc)",
        instead: '',
      },
    ],
    breaks: new RegExp(ignoresForeign),
  },
  {
    name: 'a deletion under a lock that was broken and taken from outside is refused',
    scenario: brokenOutside(removesUnderOne),
    without: [
      {
        file: 'state/protocol/remove.ts',
        rule: "if (mirror === 'foreign') throw lockLostOutside(doc)",
        instead: '',
      },
    ],
    breaks: new RegExp(ignoresForeign),
  },
  {
    name: 'a .tflock without our mark is not taken for that of the held lock',
    scenario: brokenOutside(writesUnderOne),
    without: [
      {
        file: 'state/protocol/object-mirror.ts',
        rule: "if (mirror.kind === 'foreign') return 'foreign'",
        instead: "if (mirror.kind === 'foreign') return 'in place'",
      },
    ],
    breaks: new RegExp(ignoresForeign),
  },
  {
    name: 'a committed write is carried forward, never back, when its lock is broken',
    scenario: broken,
    without: [
      {
        file: 'state/protocol/resolve.ts',
        rule: 'return (await rollForward(parts, unit, intent)) ?? again',
        instead: 'return swapped(parts, unit, { write: null, seq: unit.value.seq - 1 })',
      },
    ],
    breaks: /landed after|in no history|is credited|one failed|not the current version/,
  },
  {
    name: 'of two writes under one lock, the older serial does not replace the newer one',
    scenario: {
      before: locked,
      actors: {
        one: async ({ client, world }) => {
          holdsOne(world)
          await client.write('one', second)
        },
        same: async ({ client }) => void (await client.write('one', third)),
      },
      preemptions: 2,
      check: async (world) => {
        const { items } = await (await world.healthy('reader')).versions.list(unit, { limit: 10 }, alice)
        const serials = items.map(({ serial }) => serial)
        if (serials.some((serial, i) => serial < (serials[i + 1] ?? 0)))
          throw new Error('an older serial came after a newer one')
      },
    },
    without: [
      {
        file: 'state/protocol/decide.ts',
        rule: 'if (facts.serial < current.serial) return olderSerial(doc, facts.serial, current.serial)',
        instead: '',
      },
    ],
    breaks: /an older serial came after a newer one/,
  },
]

function encrypted(text: string, serial: number): string {
  return JSON.stringify({
    serial,
    lineage: 'L',
    meta: { key: 'k' },
    encrypted_data: text,
    encryption_version: 'v0',
  })
}

async function checkNothingTwice(world: World): Promise<void> {
  const { items } = await (await world.healthy('reader')).versions.list(unit, { limit: 100 }, alice)
  const hashes = items.map(({ sha256 }) => sha256)
  if (new Set(hashes).size !== hashes.length) throw new Error('a version is in the history twice')
}
