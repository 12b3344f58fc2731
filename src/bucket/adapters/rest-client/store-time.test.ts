import { expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { storeTime } from './store-time.ts'

test('the time continues from the last date received, and an invalid date changes nothing', () => {
  let now = 1_000
  const time = storeTime({ ...systemClock, now: () => now })
  time.note(undefined)
  time.note('yesterday')
  expect(time.now()).toBeUndefined()

  time.note('Thu, 01 Jan 1970 00:00:20 GMT')
  now = 3_500
  time.note('')
  expect(time.now()).toBe(22_500)
})
