import { expect, test } from 'vitest'
import { counted } from '../../../bench/counted-bucket.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import { historyKey } from '../documents/layout.ts'
import { alice, lose, movedControl, named, overwrite, push, stateText } from '../../../test/support/state.ts'

const HOUR = 3_600_000
const UNITS = 40

/** An estate whose units were all written once an hour; gives a time between the writes. */
async function estate(versions: number) {
  const bucket = openMemoryBucket()
  const moved = movedControl(bucket)
  const settings = { tidyAfterMs: null, gatherEventsMs: 0, catalogLagMs: 0, catalogVerifyMs: 0 }
  const open = (over: Bucket = bucket) => moved.open(settings, { bucket: over })
  const control = await open()
  const times: number[] = []
  for (let serial = 1; serial <= versions; serial++) {
    await Promise.all(Array.from({ length: UNITS }, (_, i) => push(control, `u${i}`, stateText(serial))))
    moved.pass(HOUR)
    times.push(Date.now() + serial * HOUR - HOUR / 2)
  }
  return { bucket, control, open, times }
}

async function commitsAt(control: StateControl, time = 0): Promise<unknown[]> {
  const units = await control.graph.unitsAt('default', time, alice)
  return [...new Set(units.map(({ head, forgotten }) => (forgotten === true ? 'unknown' : head?.commit)))]
}

/** Requests for one question, by a new server. */
async function asked(
  open: (over: Bucket) => Promise<StateControl>,
  bucket: Bucket,
  time: number | undefined,
) {
  const counter = counted(bucket)
  const control = await open(counter.bucket)
  counter.take()
  const commits = await commitsAt(control, time)
  const keys = counter.take().map(({ key }) => key)
  return { commits, keys, requests: keys.length, control, counter }
}

test('the requests for a past time do not depend on the number of units', async () => {
  const { bucket, open, times } = await estate(4)

  const first = await asked(open, bucket, times[1])
  expect(first.commits).toEqual([2])
  expect(first.requests).toBeGreaterThan(4 * UNITS)

  expect(await commitsAt(first.control, times[0])).toEqual([1])
  expect(first.counter.take().length).toBeLessThan(10)

  const cold = await asked(open, bucket, times[2])
  expect(cold.commits).toEqual([3])
  expect(cold.requests).toBeLessThan(10)
})

test('a server that wrote the versions itself reads none of them', async () => {
  const { bucket, open } = await estate(0)
  const counter = counted(bucket)
  const control = await open(counter.bucket)
  for (const serial of [1, 2])
    await Promise.all(Array.from({ length: UNITS }, (_, i) => push(control, `u${i}`, stateText(serial))))
  const { items } = await control.versions.list(named('u0'), { limit: 2 }, alice)
  counter.take()

  const units = await control.graph.unitsAt('default', Date.parse(items[1]?.at ?? ''), alice)
  expect(units.find(({ name }) => name === 'u0')?.head?.commit).toBe(1)
  expect(counter.take().filter(({ key }) => key.includes('/versions/'))).toEqual([])
})

test('a sweep saves what was written, so that a server that starts later reads no version', async () => {
  const { bucket, control, open, times } = await estate(2)
  await control.graph.units('default', { fresh: true }, alice)
  await control.upkeep.sweep(alice)

  const cold = await asked(open, bucket, times[0])
  expect(cold.commits).toEqual([1])
  expect(cold.keys.filter((key) => key.includes('/versions/'))).toEqual([])
})

test('a damaged or missing history object costs time and nothing else', async () => {
  const { bucket, open, times } = await estate(2)
  await asked(open, bucket, times[0])

  await overwrite(bucket, historyKey('default'), 'no history')
  expect((await asked(open, bucket, times[0])).commits).toEqual([1])
  await lose(bucket, historyKey('default'))
  expect((await asked(open, bucket, times[0])).commits).toEqual([1])
})

test('what retention removed is unknown, remembered or not', async () => {
  const { bucket, control, open, times } = await estate(3)
  expect(await commitsAt(control, times[0])).toEqual([1])
  for (let i = 0; i < UNITS; i++)
    await control.units.update(named(`u${i}`), { retention: { count: 1 } }, alice)
  await control.upkeep.gc({ dryRun: false }, alice)

  expect(await commitsAt(control, times[0])).toEqual(['unknown'])
  expect((await asked(open, bucket, times[0])).commits).toEqual(['unknown'])
  expect((await asked(open, bucket, times[2])).commits).toEqual([3])
})
