import { expect, test } from 'vitest'
import { createBackOff } from './back-off.ts'

test('the first replacement comes at once, later ones ever more rarely, and a healthy life forgives', () => {
  const backOff = createBackOff()
  const pauses = Array.from({ length: 10 }, () => backOff.afterLifeOf(100))

  expect(pauses).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect(backOff.afterLifeOf(3_600_000)).toBe(0)
  expect(backOff.afterLifeOf(100)).toBe(250)
})
