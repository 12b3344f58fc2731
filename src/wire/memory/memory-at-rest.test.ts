import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { memoryAtRest } from './memory-at-rest.ts'

const MB = 2 ** 20

function setUp() {
  const seen = { now: 100_000, lastActiveAt: 0, taken: 50 * MB, collected: 0, collecting: () => 20 * MB }
  const look = memoryAtRest({
    clock: { ...systemClock, now: () => seen.now },
    lastActiveAt: () => seen.lastActiveAt,
    takenBytes: () => seen.taken,
    collect: () => {
      seen.collected++
      seen.taken = seen.collecting()
    },
  })
  return { seen, look }
}

test('memory is returned after a while without requests', () => {
  const { seen, look } = setUp()
  seen.lastActiveAt = seen.now - 19_500
  look()
  expect(seen.collected).toBe(0)

  seen.now += 1_000
  look()
  expect(seen.collected).toBe(1)
})

test('a server that makes no garbage is left alone, however much it holds', () => {
  const { seen, look } = setUp()
  look()
  seen.taken += 5 * MB
  look()
  expect(seen.collected).toBe(1)

  seen.taken += 10 * MB
  look()
  expect(seen.collected).toBe(2)
})

test('collecting continues until it returns nothing, and no longer', () => {
  const { seen, look } = setUp()
  const left = [40 * MB, 15 * MB]
  seen.collecting = () => left.shift() ?? 15 * MB
  for (let second = 0; second < 60; second++) {
    seen.now += 1_000
    look()
  }
  expect(seen.taken).toBe(15 * MB)
  expect(seen.collected).toBe(4)
})
