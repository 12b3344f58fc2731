import { expect, test } from 'vitest'
import { randomIds } from '../base/ids.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import type { RecordDeps } from '../records/index.ts'
import { createLease } from './lease.ts'

const FOR_MS = 1_000

function open() {
  let now = 1_000_000
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const deps = { bucket: openMemoryBucket(), clock, ids: randomIds } as unknown as RecordDeps
  return { lease: () => createLease(deps, FOR_MS), pass: (ms: number) => (now += ms) }
}

test('one holds it, and keeps it as long as it asks in time', async () => {
  const { lease, pass } = open()
  const [a, b] = [lease(), lease()]
  expect([await a.hold(), await b.hold()]).toEqual([1, undefined])
  for (let i = 0; i < 5; i++) {
    pass(FOR_MS * 0.9)
    expect([await a.hold(), await b.hold()]).toEqual([1, undefined])
  }
})

test('another takes over from one that ended, in a term of its own', async () => {
  const { lease, pass } = open()
  const [a, b] = [lease(), lease()]
  await a.hold()
  pass(FOR_MS + 1)
  expect([await b.hold(), await a.hold()]).toEqual([2, undefined])
  await b.release()
  expect([await a.hold(), await b.hold()]).toEqual([3, undefined])
})

test('of those who ask at the same moment one gets it, and asking twice does no harm', async () => {
  const { lease, pass } = open()
  const all = [lease(), lease(), lease()]
  const first = await Promise.all(all.map((one) => one.hold()))
  expect(first.filter((term) => term !== undefined)).toEqual([1])
  pass(FOR_MS + 1)
  const [holder] = all
  const again = await Promise.all([holder?.hold(), holder?.hold(), holder?.hold()])
  expect(new Set(again).size).toBe(1)
  expect(again[0]).toBeDefined()
})

test('a time far ahead, of a clock that was wrong, keeps no one waiting', async () => {
  const { lease, pass } = open()
  pass(FOR_MS * 1_000)
  const ahead = lease()
  await ahead.hold()
  pass(-FOR_MS * 1_000)
  expect(await lease().hold()).toBe(2)
})
