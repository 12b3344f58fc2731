import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { createSingleUse } from './single-use.ts'

test('of many servers at once, one claims an id; records are removed when they are of no use any more', async () => {
  let now = 1_800_000_000_000
  const bucket = openMemoryBucket()
  const server = () => createSingleUse({ bucket, clock: { ...systemClock, now: () => now }, ids: randomIds })
  const keys = async () => {
    const all: string[] = []
    for await (const page of bucket.list('')) all.push(...page.map(({ key }) => key))
    return all
  }
  const until = now + 60_000

  const claims = await Promise.all(Array.from({ length: 8 }, () => server().claim('../assertion 1', until)))

  expect(claims.filter(Boolean)).toHaveLength(1)
  expect(await server().claim('../assertion 1', until)).toBe(false)
  expect(await server().claim('another', until)).toBe(true)
  expect(await keys()).toHaveLength(2)
  now += 60_000
  await server().claim('a third', now + 1)
  expect(await keys()).toHaveLength(1)
})
