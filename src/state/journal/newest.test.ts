import { alice } from '../../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { encodeTime, randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { type Bucket, type Tag, bodyOf } from '../../bucket/index.ts'
import { journalKey, journalPrefix, parseJournalKey } from '../documents/journal-layout.ts'
import type { Event, EventType, OrgDocument } from '../documents/model.ts'
import { inThisThread } from '../long-work.ts'
import { type StateDeps, defaultSettings } from '../settings.ts'
import type { EventQuery } from '../state-control.ts'
import { makeEvent } from './events.ts'
import { createJournal } from './journal.ts'
import { createTails } from './tail.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')
const DAY = 86_400_000
const unitId = (n: number) => `ws-${String(n).padStart(16, 'a').replaceAll('0', 'z')}`

function depsOver(bucket: Bucket, time = { now: NOW }): StateDeps {
  return {
    bucket,
    clock: { now: () => time.now, sleep: () => Promise.resolve() },
    ids: randomIds,
    log: silentLog,
    spool: { create: () => Promise.reject(new Error('nothing here is large')) },
    settings: defaultSettings,
    work: inThisThread,
  }
}

function journalOver(deps: StateDeps, names: readonly string[] = ['default', 'other']) {
  return createJournal(deps, {
    tails: createTails(deps),
    orgs: { names: async () => names, current: async () => ({}) as OrgDocument },
    unitsNamed: async (_, name) => (name === 'seven' ? [unitId(7)] : []),
  })
}

function eventAt(at: number, org: string, unit: number, type: EventType = 'unit.changed'): Event {
  const deps = { ids: randomIds, clock: { now: () => at, sleep: () => Promise.resolve() } }
  return makeEvent(deps, { org, id: unitId(unit), name: `u${unit}` }, { type, caller: alice })
}

/** A journal that exists only as far as somebody looks at it: `times` in order, one event each. */
function virtualJournal(times: readonly number[], unitOf: (i: number) => number) {
  const keys = times.map((at, i) => {
    // Random ones would take longer than all that is tested.
    const ulid = encodeTime(at) + String(i).padStart(16, '0')
    return journalKey(at, ulid, [{ org: 'default', unit: { id: unitId(unitOf(i)) } }])
  })
  const asked = { lists: 0, gets: 0 }
  const none = openMemoryBucket()
  const root = journalPrefix('default')
  const bucket = {
    ...none,
    async get(key: string) {
      asked.gets++
      const { ulid = '', units = [] } = parseJournalKey(key) ?? {}
      const event = { ...eventAt(NOW, 'default', 0), id: ulid, unit: { id: units[0] ?? '', name: 'x' } }
      const bytes = Buffer.from(JSON.stringify(event))
      return {
        key,
        tag: 't' as Tag,
        size: bytes.length,
        modifiedAt: 0,
        bytes: async () => bytes,
        stream: () => bodyOf(bytes).stream(),
        discard() {},
      }
    },
    async *list(prefix: string, { after = '', pageSize = 1000 }: { after?: string; pageSize?: number } = {}) {
      let low = 0
      for (let high = prefix === root ? keys.length : 0; low < high;) {
        const middle = (low + high) >>> 1
        if ((keys[middle] ?? '') > after) high = middle
        else low = middle + 1
      }
      for (let at = low; ; at += pageSize) {
        asked.lists++
        const page = prefix === root ? keys.slice(at, at + Math.min(pageSize, 1000)) : []
        if (page.length > 0) yield page.map((key) => ({ key, tag: 't' as Tag, size: 1, modifiedAt: 0 }))
        if (at + pageSize >= keys.length || page.length === 0) return
      }
    },
  } as unknown as Bucket
  return { bucket, asked, keys }
}

const MILLION = 1_000_000
/** A year of work: bursts by day, quiet nights, the last of it three hours ago. */
function aYear(): number[] {
  const end = NOW - 3 * 3_600_000
  return Array.from({ length: MILLION }, (_, i) => {
    const day = Math.floor((i * 365) / MILLION)
    const share = (i * 365) / MILLION - day
    return end - 365 * DAY + day * DAY + 16 * 3_600_000 + Math.floor(share * 8 * 3_600_000)
  })
}

test('the newest of a million events cost a few requests, also of one unit, and page by page', async () => {
  const { bucket, asked, keys } = virtualJournal(aYear(), (i) => i % 100)
  const journal = journalOver(depsOver(bucket), ['default'])
  const read = async (query: Omit<EventQuery, 'order'>) => {
    asked.lists = asked.gets = 0
    return { ...(await journal.read({ ...query, order: 'desc' }, alice)), ...asked }
  }
  const ulids = keys.map((key) => parseJournalKey(key)?.ulid)

  const newest = await read({ limit: 5 })
  expect(newest.items.map(({ id }) => id)).toEqual(ulids.slice(-5).toReversed())
  expect(newest.more).toBe(true)
  expect(newest.lists).toBeLessThan(15)
  expect(newest.gets).toBe(5)

  const next = await read({ limit: 100, org: 'default', after: newest.next })
  expect(next.items.map(({ id }) => id)).toEqual(ulids.slice(-105, -5).toReversed())
  expect(next.lists).toBeLessThan(10)

  for (const unit of [unitId(7), 'seven']) {
    const ofUnit = await read({ limit: 20, org: 'default', unit })
    expect(ofUnit.items.map(({ id }) => id)).toEqual(
      ulids
        .filter((_, i) => i % 100 === 7)
        .slice(-20)
        .toReversed(),
    )
    expect(ofUnit.lists).toBeLessThan(25)
    expect(ofUnit.gets).toBeLessThanOrEqual(20)
  }
})

test('a filter that fits nothing costs a bounded number of requests a page, and the cursor goes on from there', async () => {
  const { bucket, asked } = virtualJournal(aYear().slice(0, 120_000), (i) => i % 100)
  const journal = journalOver(depsOver(bucket), ['default'])
  let pages = 0
  for (let after: string | undefined; ; pages++) {
    asked.lists = 0
    const query = { limit: 10, order: 'desc', unit: unitId(555) } as const
    const page = await journal.read({ ...query, ...(after === undefined ? {} : { after }) }, alice)
    expect(page.items).toEqual([])
    expect(asked.lists).toBeLessThan(150)
    if (!page.more) break
    after = page.next
  }
  expect(pages).toBeGreaterThan(0)
})

test.each([0, 1, 5])('events %i years ago are found, and a journal without any has an end', async (years) => {
  const times = [3, 2, 1].map((i) => NOW - years * 365 * DAY - i * 1_000)
  const { bucket, asked, keys } = virtualJournal(times, () => 1)
  const page = await journalOver(depsOver(bucket), ['default']).read({ limit: 10, order: 'desc' }, alice)
  expect(page.items).toHaveLength(3)
  expect(page.more).toBe(false)
  expect(asked.lists).toBeLessThan(20)
  expect(keys).toHaveLength(3)

  const nothing = await journalOver(depsOver(openMemoryBucket())).read({ limit: 10, order: 'desc' }, alice)
  expect(nothing).toMatchObject({ items: [], more: false })
})

/** Two organizations, objects of one to three records, some in the place that earlier versions use. */
async function mixedJournal(bucket: Bucket, from: number, stepMs: number): Promise<Event[]> {
  const all: Event[] = []
  for (let i = 0; i < 40; i++) {
    const at = from + i * stepMs
    const org = i % 5 === 0 ? 'other' : 'default'
    const events = Array.from({ length: 1 + (i % 3) }, (_, n) => eventAt(at, org, (i + n) % 4))
    const key = journalKey(at, events[0]?.id ?? '', events)
    const isOld = i % 4 === 1
    const place = isOld ? key.replace(journalPrefix(org), '.taco/journal/') : key
    await bucket.put(place, bodyOf(JSON.stringify(events)), 'absent')
    // A server of an earlier version found it in an outbox, and wrote it, too.
    if (i % 10 === 2)
      await bucket.put(
        key.replace(journalPrefix(org), '.taco/journal/'),
        bodyOf(JSON.stringify(events)),
        'absent',
      )
    all.push(...events)
  }
  return all
}

test.each([1, 2, 3, 7, 100])(
  'by pages of %i, newest first is the reverse of oldest first, in both places',
  async (limit) => {
    const bucket = openMemoryBucket()
    const all = await mixedJournal(bucket, NOW - 20 * DAY, 3_600_000)
    const journal = journalOver(depsOver(bucket))
    const idsOf = async (query: Pick<EventQuery, 'order' | 'org' | 'unit'>) => {
      const ids: string[] = []
      for (let after: string | undefined; ;) {
        const page = await journal.read({ ...query, limit, ...(after === undefined ? {} : { after }) }, alice)
        expect(page.items.length).toBeLessThanOrEqual(limit)
        ids.push(...page.items.map(({ id }) => id))
        if (!page.more) return ids
        after = page.next
      }
    }

    for (const filter of [{}, { org: 'other' }, { unit: unitId(2) }, { org: 'default', unit: 'u3' }]) {
      const wanted = all
        .filter(({ org }) => filter.org === undefined || org === filter.org)
        .filter(
          ({ unit }) => filter.unit === undefined || unit?.id === filter.unit || unit?.name === filter.unit,
        )
        .map(({ id }) => id)
      expect(await idsOf(filter)).toEqual(wanted)
      expect(await idsOf({ ...filter, order: 'desc' })).toEqual(wanted.toReversed())
    }
  },
)

test('whoever goes on from the newest gets what comes, and nothing of before', async () => {
  const bucket = openMemoryBucket()
  const time = { now: NOW }
  const all = await mixedJournal(bucket, NOW - 12_000, 300)
  const journal = journalOver(depsOver(bucket, time))
  const { items, latest = '' } = await journal.read({ limit: 3, order: 'desc' }, alice)
  expect(items.map(({ id }) => id)).toEqual(
    all
      .slice(-3)
      .map(({ id }) => id)
      .toReversed(),
  )

  // One that was on its way while others were written.
  const late = eventAt(NOW - 2_000, 'other', 3)
  const next = eventAt(NOW + 1, 'default', 3)
  for (const event of [next, late])
    await bucket.put(journalKey(event.at, event.id, [event]), bodyOf(JSON.stringify(event)), 'absent')
  for (const passed of [100, 5_000, 60_000]) {
    time.now = NOW + passed
    const page = await journal.read({ limit: 100, after: latest }, alice)
    expect(page.items.map(({ id }) => id)).toEqual([late.id, next.id])
  }
})

test('a cursor is good for its own order only', async () => {
  const journal = journalOver(depsOver(openMemoryBucket()))
  const { next } = await journal.read({ limit: 1 }, alice)
  await expect(journal.read({ limit: 1, order: 'desc', after: next }, alice)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  })
  const { next: backward } = await journal.read({ limit: 1, order: 'desc' }, alice)
  await expect(journal.read({ limit: 1, after: backward }, alice)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  })
})
