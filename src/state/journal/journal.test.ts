import { alice } from '../../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { inThisThread } from '../long-work.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { bodyOf, type Bucket } from '../../bucket/index.ts'
import type { StateDeps } from '../settings.ts'
import { defaultSettings } from '../settings.ts'
import { makeEvent } from './events.ts'
import { createJournalWriter } from './journal-writer.ts'
import { createJournal } from './journal.ts'
import { createTails } from './tail.ts'
import { journalKey, parseJournalKey } from '../documents/journal-layout.ts'
import type { Event } from '../documents/model.ts'

/** A bucket whose puts wait until they are let through, and a clock that stands still. */
function place() {
  const held: (() => void)[] = []
  const gate = { holds: false, time: Date.parse('2026-03-04T05:06:07Z') }
  const memory = openMemoryBucket({ now: () => gate.time })
  const bucket: Bucket = {
    ...memory,
    async put(...args) {
      if (gate.holds) await new Promise<void>((resolve) => held.push(resolve))
      return memory.put(...args)
    },
  }
  const deps: StateDeps = {
    bucket,
    clock: { now: () => gate.time, sleep: () => Promise.resolve() },
    ids: randomIds,
    log: silentLog,
    spool: { create: () => Promise.reject(new Error('nothing here is large')) },
    settings: defaultSettings,
    work: inThisThread,
  }
  return {
    deps,
    gate,
    event: (unit: string, org = 'default'): Event =>
      makeEvent(
        deps,
        { org, id: `ws-${unit.padEnd(16, 'x').replace('0', 'z')}`, name: unit },
        { type: 'unit.changed', caller: alice },
      ),
    letThrough() {
      gate.holds = false
      for (const go of held.splice(0)) go()
    },
  }
}

function openJournal(deps: StateDeps) {
  return createJournal(deps, {
    tails: createTails(deps),
    orgs: {
      names: async () => ['default', 'o'.repeat(40)],
      current: () => Promise.reject(new Error('nothing here is older than a day')),
    },
    unitsNamed: async () => [],
  })
}

async function keysIn(bucket: Bucket): Promise<string[]> {
  const keys: string[] = []
  for await (const page of bucket.list('.taco/')) keys.push(...page.map(({ key }) => key))
  return keys
}

async function follow(deps: StateDeps, limit: number): Promise<string[]> {
  const journal = openJournal(deps)
  const ids: string[] = []
  for (let after: string | undefined; ;) {
    const page = await journal.read({ limit, ...(after === undefined ? {} : { after }) }, alice)
    expect(page.items.length).toBeLessThanOrEqual(limit)
    ids.push(...page.items.map(({ id }) => id))
    if (!page.more) return ids
    after = page.next
  }
}

test('events that come while another is written go into one object, and each is told once, in order', async () => {
  const { deps, gate, event, letThrough } = place()
  const writer = createJournalWriter(deps)
  gate.holds = true
  const events = ['a', 'b', 'a', 'c'].map((unit) => event(unit))
  const writing = events.map((one) => writer.write([one]))
  letThrough()
  await Promise.all(writing)

  const keys = await keysIn(deps.bucket)
  expect(keys.map((key) => parseJournalKey(key)?.units.map((unit) => unit[3]))).toEqual([
    ['a'],
    ['b', 'a', 'c'],
  ])
  const ids = events.map(({ id }) => id)
  expect(ids.every((id) => writer.isWritten(id))).toBe(true)
  for (const limit of [1, 2, 3, 10]) expect(await follow(deps, limit), `by ${limit}`).toEqual(ids)
  gate.time += 60_000
  for (const limit of [1, 2, 3, 10]) expect(await follow(deps, limit), `settled, by ${limit}`).toEqual(ids)
})

test('events in quick succession go into one object, and nothing waits once there is hurry', async () => {
  const { deps, gate, event } = place()
  const writer = createJournalWriter({ ...deps, settings: { ...deps.settings, gatherEventsMs: 600_000 } })
  await writer.write([event('a')])
  gate.time += 1
  const writing = ['b', 'c'].map((unit) => writer.write([event(unit)]))
  expect(await keysIn(deps.bucket)).toHaveLength(1)

  writer.hurry()
  await Promise.all(writing)
  await writer.write([event('d')])
  const units = (await keysIn(deps.bucket)).map((key) => parseJournalKey(key)?.units.map((unit) => unit[3]))
  expect(units).toEqual([['a'], ['b', 'c'], ['d']])
})

test('a clock that was set back holds nothing up', async () => {
  const { deps, gate, event } = place()
  const writer = createJournalWriter(deps)
  await writer.write([event('a')])
  gate.time -= 3_600_000
  await writer.write([event('b')])
  expect(await keysIn(deps.bucket)).toHaveLength(2)

  const hanging = { ...deps, settings: { ...deps.settings, gatherEventsMs: 600_000 } }
  const closing = createJournalWriter(hanging)
  const first = closing.write([event('c')])
  const rest = closing.write([event('d')])
  gate.time -= 3_600_000
  closing.hurry()
  await Promise.all([first, rest])
  expect(await keysIn(deps.bucket)).toHaveLength(4)
})

test('a filter by unit looks into objects with several records', async () => {
  const { deps, gate, event, letThrough } = place()
  const writer = createJournalWriter(deps)
  gate.holds = true
  const events = ['a', 'b', 'c', 'b'].map((unit) => event(unit))
  const writing = writer.write(events.slice(0, 1))
  const rest = writer.write(events.slice(1))
  letThrough()
  await Promise.all([writing, rest])

  const ofB = events.filter(({ unit }) => unit?.name === 'b')
  const unit = ofB[0]?.unit?.id ?? ''
  const journal = openJournal(deps)
  const first = await journal.read({ limit: 1, unit }, alice)
  const second = await journal.read({ limit: 1, unit, after: first.next }, alice)
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ofB.map(({ id }) => id))
})

test('organizations are kept apart, and no name is longer than a folder can hold', async () => {
  const { deps, gate, event, letThrough } = place()
  const writer = createJournalWriter(deps)
  const long = 'o'.repeat(40)
  gate.holds = true
  const first = writer.write([event('first')])
  const events = Array.from({ length: 40 }, (_, i) => event(`u${i}`, i % 2 === 0 ? long : 'default'))
  const rest = writer.write(events)
  letThrough()
  await Promise.all([first, rest])

  const keys = await keysIn(deps.bucket)
  expect(keys.length).toBeLessThan(14)
  for (const key of keys) expect(key.slice(key.lastIndexOf('/') + 1).length).toBeLessThanOrEqual(215)
  const journal = openJournal(deps)
  const { items } = await journal.read({ limit: 100, org: long }, alice)
  expect(items.map(({ id }) => id)).toEqual(events.filter(({ org }) => org === long).map(({ id }) => id))
})

test('a later event of a unit never lies before an earlier one', async () => {
  const { deps, gate, event, letThrough } = place()
  const writer = createJournalWriter(deps)
  gate.holds = true
  const early = writer.write([event('x')])
  const locked = event('a')
  const together = writer.write([event('y'), locked])
  gate.time += 1
  // Made while the object with `locked` is not begun yet, committed afterwards.
  const written = event('a')
  gate.time += 5
  letThrough()
  await Promise.all([early, together])
  await writer.write([written])
  const ids = await follow(deps, 10)
  expect(ids.indexOf(locked.id)).toBeLessThan(ids.indexOf(written.id))
})

test('what others left in an outbox is written unless they wrote it, and not before they had time to', async () => {
  const { deps, gate, event, letThrough } = place()
  const theirs = createJournalWriter(deps)
  gate.holds = true
  const first = theirs.write([event('x')])
  const written = event('a')
  const together = theirs.write([event('y'), written])
  letThrough()
  await Promise.all([first, together])
  const crashed = event('a')

  const ours = createJournalWriter(deps)
  await ours.flush([written, crashed])
  expect(await keysIn(deps.bucket)).toHaveLength(2)
  gate.time += 2_000
  await ours.flush([written, crashed])
  expect([written, crashed].every(({ id }) => ours.isWritten(id))).toBe(true)
  const ids = await follow(deps, 10)
  expect(ids.filter((id) => id === written.id)).toHaveLength(1)
  expect(ids.filter((id) => id === crashed.id)).toHaveLength(1)
})

test('a record of others that came late is told again, because followers may have passed it', async () => {
  const { deps, gate, event } = place()
  const late = event('a')
  gate.time += 15_000
  // Its writer got as far as this.
  await deps.bucket.put(journalKey(late.at, late.id, [late]), bodyOf(JSON.stringify(late)), 'absent')
  const { next } = await openJournal(deps).read({ limit: 10 }, alice)
  await createJournalWriter(deps).flush([late])
  const { items } = await openJournal(deps).read({ limit: 10, after: next }, alice)
  expect(items.map(({ id }) => id)).toEqual([late.id])
})

test('what several find in an outbox at once is told by one of them', async () => {
  const { deps, gate, event } = place()
  const writer = createJournalWriter(deps)
  const [late, later] = [event('a'), event('a')]
  gate.time += 15_000
  await Promise.all([writer.flush([late]), writer.flush([late, later]), writer.flush([later, late])])
  // Each at its own place, and where followers will come by.
  expect(await keysIn(deps.bucket)).toHaveLength(4)
})

test('a put that hangs does not hold up those who come later', async () => {
  const { deps, gate, event, letThrough } = place()
  const writer = createJournalWriter(deps)
  gate.holds = true
  const hanging = writer.write([event('a')])
  gate.holds = false
  gate.time += 1_000
  await writer.write([event('b')])
  expect(await keysIn(deps.bucket)).toHaveLength(1)
  letThrough()
  await hanging
})

test('a put that hangs holds up those who came right after it only for a moment', async () => {
  const { deps, gate, event, letThrough } = place()
  const writer = createJournalWriter({ ...deps, clock: systemClock })
  gate.time = systemClock.now()
  gate.holds = true
  const hanging = writer.write([event('a')])
  const next = writer.write([event('b')])
  gate.holds = false
  await next
  expect(await keysIn(deps.bucket)).toHaveLength(1)
  letThrough()
  await hanging
})

test('an event is not written again while a put of its batch is under way, though another one failed', async () => {
  const { deps, gate, event, letThrough } = place()
  const put: Bucket['put'] = (...args) =>
    args[0].includes('-other.') ? Promise.reject(new Error('down')) : deps.bucket.put(...args)
  const writer = createJournalWriter({ ...deps, bucket: { ...deps.bucket, put } })
  gate.holds = true
  const slow = event('a')
  const writing = writer.write([event('b', 'other'), slow])
  const outcome = Promise.allSettled([writing])
  await new Promise(setImmediate)
  gate.holds = false
  gate.time += 2_000
  const flushing = writer.flush([slow])
  await new Promise(setImmediate)
  expect(await keysIn(deps.bucket)).toHaveLength(0)
  letThrough()
  await flushing
  expect(await outcome).toMatchObject([{ status: 'rejected', reason: { message: 'down' } }])
  expect(await follow(deps, 10)).toEqual([slow.id])
})

test('a batch that cannot be written fails for all of it, and is written by whoever comes next', async () => {
  const { deps, gate, event } = place()
  const broken: Bucket = { ...deps.bucket, put: () => Promise.reject(new Error('down')) }
  const failing = createJournalWriter({ ...deps, bucket: broken })
  const events = [event('a'), event('b')]
  const outcomes = await Promise.allSettled(events.map((one) => failing.write([one])))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  gate.time += 2_000
  await createJournalWriter(deps).flush(events)
  expect(await follow(deps, 10)).toEqual(events.map(({ id }) => id))
})

test('what could not be written is tried again by whoever made it, without waiting', async () => {
  const { deps, event } = place()
  let isDown = true
  const put: Bucket['put'] = (...args) =>
    isDown ? Promise.reject(new Error('down')) : deps.bucket.put(...args)
  const writer = createJournalWriter({ ...deps, bucket: { ...deps.bucket, put } })
  const made = event('a')
  await expect(writer.write([made])).rejects.toThrow('down')
  isDown = false
  await writer.flush([made])
  expect(await follow(deps, 10)).toEqual([made.id])
})

test('records that lie alone, as all once did, are read', async () => {
  const { deps, event } = place()
  const old = event('a')
  await deps.bucket.put(journalKey(old.at, old.id, [old]), bodyOf(JSON.stringify(old)), 'absent')
  expect(await follow(deps, 10)).toEqual([old.id])
})

/** Objects of one record each, far in the past, of which every `every`th is of another type. */
async function filled(count: number, every: number) {
  const { deps, gate } = place()
  const all: Event[] = []
  for (let i = 0; i < count; i++) {
    gate.time += 1_000
    const type = i % every === every - 1 ? 'unit.renamed' : 'unit.changed'
    const about = { org: 'default', id: 'ws-xxxxxxxxxxxxxxxx', name: 'a' }
    const event = makeEvent(deps, about, { type, caller: alice })
    all.push(event)
    await deps.bucket.put(journalKey(event.at, event.id, [event]), bodyOf(JSON.stringify(event)), 'absent')
  }
  gate.time += 60_000
  let reads = 0
  const get: Bucket['get'] = (...args: Parameters<Bucket['get']>) => {
    reads++
    return deps.bucket.get(...args)
  }
  const counted = { ...deps, bucket: { ...deps.bucket, get } as Bucket }
  return { journal: openJournal(counted), all, reads: () => reads }
}

test.each([1, 3, 100])('a filter fills its pages: no page of %i is empty before the end', async (limit) => {
  const { journal, all } = await filled(400, 40)
  const ids: string[] = []
  let pages = 0
  for (let after: string | undefined; ;) {
    const types = ['unit.renamed'] as const
    const page = await journal.read({ limit, types, ...(after === undefined ? {} : { after }) }, alice)
    ids.push(...page.items.map(({ id }) => id))
    pages++
    if (!page.more) break
    expect(page.items).toHaveLength(limit)
    after = page.next
  }

  expect(ids).toEqual(all.filter(({ type }) => type === 'unit.renamed').map(({ id }) => id))
  expect(pages).toBeLessThanOrEqual(Math.ceil(10 / limit) + 1)
})

test('a filter by the name of a unit fills its pages, too', async () => {
  const { journal, all } = await filled(100, 200)

  expect((await journal.read({ limit: 10, unit: 'b' }, alice)).more).toBe(false)
  expect((await journal.read({ limit: 10, unit: 'a' }, alice)).items.map(({ id }) => id)).toEqual(
    all.slice(0, 10).map(({ id }) => id),
  )
})

test('one answer reads a bounded number of objects, and the next goes on from there', async () => {
  const { journal, all, reads } = await filled(5_000, 5_000)
  const types = ['unit.renamed'] as const

  const first = await journal.read({ limit: 10, types }, alice)
  expect(first).toMatchObject({ items: [], more: true })
  expect(reads()).toBeLessThan(2_500)
  const second = await journal.read({ limit: 10, types, after: first.next }, alice)
  const third = await journal.read({ limit: 10, types, after: second.next }, alice)

  expect(second).toMatchObject({ items: [], more: true })
  expect(third).toMatchObject({ items: [{ id: all.at(-1)?.id }], more: false })
})
