import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { memoryAtRest } from './memory-at-rest.ts'

const MB = 2 ** 20

function setUp() {
  const seen = { now: 100_000, lastActiveAt: 0, taken: 50 * MB, live: 20 * MB, collected: 0 }
  const look = memoryAtRest({
    clock: { ...systemClock, now: () => seen.now },
    lastActiveAt: () => seen.lastActiveAt,
    takenBytes: () => seen.taken,
    collect: () => {
      seen.collected++
      seen.taken = seen.live
    },
  })
  return { seen, look }
}

test('memory is given back once nothing was asked for a while', () => {
  const { seen, look } = setUp()
  seen.lastActiveAt = seen.now - 2_000
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
