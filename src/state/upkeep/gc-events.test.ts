import { alice } from '../../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { createStateControl } from '../create-state-control.ts'
import type { StateControl } from '../state-control.ts'

const DAY = 86_400_000
const caller = alice

/** Two servers over one bucket, and a clock that goes only when told to. */
async function place() {
  const time = { now: Date.parse('2026-03-04T05:06:07Z') }
  const bucket = openMemoryBucket({ now: () => time.now })
  const open = () =>
    createStateControl({
      bucket,
      clock: { ...systemClock, now: () => time.now },
      ids: randomIds,
      log: silentLog,
      spool: { create: () => Promise.reject(new Error('nothing here is large')) },
      settings: { gatherEventsMs: 0, tidyAfterMs: null },
    })
  const control = await open()
  await control.orgs.create({ name: 'other' }, caller)
  const happen = async (org: string, name: string) => {
    await control.units.create({ org, name }, caller)
    // Written beside the answer.
    await expect.poll(async () => namesIn(await all(control, org))).toContain(name)
  }
  return { time, bucket, control, open, happen }
}

const all = (control: StateControl, org: string) => control.journal.read({ org, limit: 1000 }, caller)

function namesIn({ items }: Awaited<ReturnType<typeof all>>): string[] {
  return items.flatMap(({ type, unit }) => (type === 'unit.created' ? [unit?.name ?? ''] : []))
}

test('events that are older than their organization keeps are removed, by several servers at once, and no others', async () => {
  const { time, control, open, happen } = await place()
  await happen('default', 'old')
  await happen('other', 'theirs')
  time.now += 60 * DAY
  await happen('default', 'young')
  await control.orgs.update('default', { eventRetention: { days: 90 } }, caller)

  expect(await control.upkeep.gc({ dryRun: false }, caller)).toMatchObject({ eventsPruned: 0 })
  time.now += 40 * DAY
  const dry = await control.upkeep.gc({ dryRun: true }, caller)
  expect(dry.eventsPruned).toBeGreaterThan(0)
  expect(namesIn(await all(control, 'default'))).toEqual(['old', 'young'])
  const second = await open()
  const reports = await Promise.all([control, second].map((one) => one.upkeep.gc({ dryRun: false }, caller)))
  expect(reports[0]?.eventsPruned).toBe(dry.eventsPruned)

  expect(namesIn(await all(control, 'default'))).toEqual(['young'])
  expect(namesIn(await all(second, 'other'))).toEqual(['theirs'])
  expect((await control.upkeep.gc({ dryRun: false }, caller)).eventsPruned).toBe(0)
})

test('events in the place of earlier versions are removed, too', async () => {
  const { time, bucket, control, happen } = await place()
  await happen('default', 'old')
  for await (const page of bucket.list('.taco/orgs/default/journal/'))
    for (const { key, tag } of page) {
      const bytes = await (await bucket.get(key))?.bytes()
      const body = { size: bytes?.length ?? 0, bytes, stream: () => (async function* () {})() }
      await bucket.put(key.replace('orgs/default/', ''), body, 'absent')
      await bucket.delete(key, tag)
    }
  expect(namesIn(await all(control, 'default'))).toEqual(['old'])
  await control.orgs.update('default', { eventRetention: { days: 1 } }, caller)
  time.now += 2 * DAY
  await control.upkeep.gc({ dryRun: false }, caller)

  expect(namesIn(await all(control, 'default'))).toEqual([])
})

test('a cursor before what was removed is refused as gone, and one behind it goes on', async () => {
  const { time, control, happen } = await place()
  const start = await control.journal.read({ org: 'default', limit: 1 }, caller)
  await happen('default', 'old')
  await control.orgs.update('default', { eventRetention: { days: 30 } }, caller)
  const types = async () => (await all(control, 'default')).items.map(({ type }) => type)
  await expect.poll(types).toContain('org.changed')
  time.now += DAY
  const seen = await all(control, 'default')
  time.now += 100 * DAY
  // Whoever has seen everything misses nothing, however long ago that was.
  await control.upkeep.gc({ dryRun: false }, caller)

  for (const org of ['default', undefined]) {
    const after = { limit: 10, after: start.next, ...(org === undefined ? {} : { org }) }
    await expect(control.journal.read(after, caller)).rejects.toMatchObject({
      code: 'GONE',
      message: expect.stringContaining('default') as string,
    })
    const pages = control.journal.follow(after, new AbortController().signal, caller)
    const following = pages[Symbol.asyncIterator]()
    await expect(following.next()).rejects.toMatchObject({ code: 'GONE' })
  }
  await expect(
    control.journal.read({ org: 'other', limit: 10, after: start.next }, caller),
  ).resolves.toMatchObject({})
  const rest = async () =>
    (await control.journal.read({ org: 'default', limit: 10, after: seen.next }, caller)).items
  await expect.poll(async () => (await rest()).map(({ type }) => type)).toEqual(['gc.pruned'])
  expect((await control.journal.read({ org: 'default', limit: 10 }, caller)).items.length).toBeGreaterThan(0)
})

test('a rule that was taken back removes nothing more', async () => {
  const { time, control, happen } = await place()
  await happen('default', 'old')
  await control.orgs.update('default', { eventRetention: { days: 1 }, retention: { count: 3 } }, caller)
  const changed = await control.orgs.update('default', { eventRetention: null }, caller)
  expect(changed).toMatchObject({ eventRetention: null, retention: { count: 3 } })
  time.now += 100 * DAY
  await control.upkeep.gc({ dryRun: false }, caller)

  expect(namesIn(await all(control, 'default'))).toEqual(['old'])
})
