import { alice } from '../../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { type Bucket, bodyOf } from '../../bucket/index.ts'
import { journalKey, journalPrefix, sharedJournalPrefix } from '../documents/journal-layout.ts'
import type { Event } from '../documents/model.ts'
import { inThisThread } from '../long-work.ts'
import { type StateDeps, defaultSettings } from '../settings.ts'
import type { EventPage, EventQuery } from '../state-control.ts'
import { makeEvent } from './events.ts'
import { createJournal } from './journal.ts'
import { createTails } from './tail.ts'

/** A server whose clock goes only when told to, over a bucket that counts what it is asked. */
function place() {
  const time = { now: Date.parse('2026-03-04T05:06:07Z') }
  const memory = openMemoryBucket({ now: () => time.now })
  const asked = { lists: [] as string[], gets: 0 }
  let isDown = false
  const bucket = {
    ...memory,
    get: (key: string) => {
      asked.gets++
      return memory.get(key)
    },
    list: (...args: Parameters<Bucket['list']>) => {
      asked.lists.push(args[0])
      if (isDown) throw new Error('down')
      return memory.list(...args)
    },
  } as unknown as Bucket
  const sleeping: { readonly until: number; readonly wake: () => void }[] = []
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      sleeping.push({ until: time.now + ms, wake })
      signal?.addEventListener('abort', wake)
    })
  const deps: StateDeps = {
    bucket,
    clock: { now: () => time.now, sleep },
    ids: randomIds,
    log: silentLog,
    spool: { create: () => Promise.reject(new Error('nothing here is large')) },
    settings: defaultSettings,
    work: inThisThread,
  }
  const orgs = ['default', 'other']
  const journalOf = () =>
    createJournal(deps, {
      tails: createTails(deps),
      orgs: { names: async () => orgs, current: () => Promise.reject(new Error('nobody asks')) },
      unitsNamed: async () => [],
    })
  return {
    time,
    asked,
    orgs,
    journalOf,
    journal: journalOf(),
    setDown: (down: boolean) => (isDown = down),
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 250) {
        time.now += 250
        for (const one of sleeping.filter(({ until }) => until <= time.now)) {
          sleeping.splice(sleeping.indexOf(one), 1)
          one.wake()
        }
        for (let i = 0; i < 20; i++) await new Promise(setImmediate)
      }
    },
    async happen(org = 'default', { ago = 0, root = journalPrefix(org) } = {}): Promise<Event> {
      const at = time.now - ago
      const clock = { now: () => at, sleep }
      const about = { org, id: 'ws-xxxxxxxxxxxxxxxx', name: 'x' }
      const event = makeEvent({ ids: randomIds, clock }, about, {
        type: 'unit.changed',
        caller: alice,
      })
      const key = journalKey(at, event.id, [event]).replace(journalPrefix(org), root)
      await memory.put(key, bodyOf(JSON.stringify(event)), 'absent')
      return event
    },
  }
}

/** Reads as fast as pages come, unless it is told to wait. */
function client(journal: ReturnType<ReturnType<typeof place>['journalOf']>, query: Partial<EventQuery> = {}) {
  const ids: string[] = []
  const ending = new AbortController()
  let last: EventPage | undefined
  let ready = Promise.resolve()
  const pages = journal.follow({ limit: 200, ...query }, ending.signal, alice)
  const done = (async () => {
    for await (const page of pages) {
      last = page
      ids.push(...page.items.map(({ id }) => id))
      await ready
    }
  })()
  return {
    ids,
    cursor: () => last?.next ?? '',
    wait: () => {
      let goOn: () => void = () => {}
      ready = new Promise((resolve) => (goOn = resolve))
      return goOn
    },
    async end() {
      ending.abort()
      await done
    },
  }
}

test('twenty who follow cost no more than one, and with nobody nothing is asked', async () => {
  const { journal, asked, pass, happen } = place()
  const cost = async (count: number, seconds: number) => {
    const clients = Array.from({ length: count }, () => client(journal, { org: 'default', after: 'now' }))
    await pass(1_000)
    asked.lists.length = asked.gets = 0
    const events: string[] = []
    for (let i = 0; i < seconds; i++) {
      events.push((await happen()).id)
      await pass(1_000)
    }
    await pass(2_000)
    const { lists, gets } = asked
    const answer = { lists: [...lists], gets }
    for (const one of clients) expect(one.ids).toEqual(events)
    await Promise.all(clients.map((one) => one.end()))
    return answer
  }
  const one = await cost(1, 60)
  const twenty = await cost(20, 60)

  expect(twenty.lists.length).toBeLessThanOrEqual(one.lists.length + 1)
  expect(one.lists.filter((root) => root === journalPrefix('default')).length).toBeLessThanOrEqual(63)
  expect(one.lists.filter((root) => root === sharedJournalPrefix).length).toBeLessThanOrEqual(14)
  expect([one.gets, twenty.gets]).toEqual([60, 60])

  asked.lists.length = 0
  await pass(120_000)
  expect(asked.lists).toEqual([])
})

test('a tenant does not list the keys of others', async () => {
  const { journal, asked, pass, happen } = place()
  const ours = client(journal, { org: 'default' })
  await pass(1_000)
  await happen('other')
  const event = await happen('default')
  await pass(2_000)

  expect(ours.ids).toEqual([event.id])
  expect(asked.lists).not.toContain(journalPrefix('other'))
  await ours.end()
})

test('each has its own position: late ones, slow ones and those who come again miss nothing and see nothing twice', async () => {
  const { journal, journalOf, pass, happen } = place()
  const all: string[] = []
  const early = client(journal)
  const slow = client(journal)
  await pass(1_000)
  const goOn = slow.wait()
  let gone: { readonly cursor: string; readonly ids: readonly string[] } | undefined
  for (let i = 0; i < 90; i++) {
    const org = i % 3 === 0 ? 'other' : 'default'
    all.push(
      (
        await happen(org, {
          ago: i % 2 === 0 ? 0 : 3_000,
          ...(i % 5 === 0 ? { root: sharedJournalPrefix } : {}),
        })
      ).id,
    )
    await pass(1_000)
    if (i === 30) {
      gone = { cursor: early.cursor(), ids: [...early.ids] }
      await early.end()
    }
  }
  goOn()
  await pass(20_000)

  // On another server, after a restart.
  const again = client(journalOf(), { after: gone?.cursor ?? '' })
  const fresh = client(journal)
  await pass(20_000)
  const sorted = all.toSorted()
  expect([...slow.ids].sort()).toEqual(sorted)
  expect([...(gone?.ids ?? []), ...again.ids].sort()).toEqual(sorted)
  expect([...fresh.ids].sort()).toEqual(sorted)
  await Promise.all([slow, again, fresh].map((one) => one.end()))
})

test('an organization that is created while all are followed is followed, too', async () => {
  const { journal, orgs, pass, happen } = place()
  const all = client(journal, { after: 'now' })
  await pass(1_000)
  orgs.push('new')
  const first = await happen('new')
  await pass(10_000)
  expect(all.ids).toEqual([first.id])
  await all.end()
})

test('a bucket that does not answer for a while costs those who follow nothing but time', async () => {
  const { journal, pass, happen, setDown } = place()
  const one = client(journal, { org: 'default' })
  await pass(2_000)
  setDown(true)
  const event = await happen()
  await pass(20_000)
  setDown(false)
  await pass(3_000)
  expect(one.ids).toEqual([event.id])
  await one.end()
})

test('what this process wrote is seen at once, and the bucket is asked twice as often at most', async () => {
  const { journal, asked, pass, happen } = place()
  const one = client(journal, { org: 'default', after: 'now' })
  await pass(2_000)

  const { id } = await happen()
  journal.wrote('default')
  journal.wrote('another')
  await pass(500)
  expect(one.ids).toEqual([id])

  asked.lists.length = 0
  for (let i = 0; i < 40; i++) {
    await happen()
    journal.wrote('default')
    await pass(250)
  }
  const lists = asked.lists.filter((root) => root === journalPrefix('default')).length
  expect(lists).toBeGreaterThan(12)
  expect(lists).toBeLessThanOrEqual(21)
  await pass(1_000)
  expect(one.ids).toHaveLength(41)
  await one.end()
})
