import { expect, test } from 'vitest'
import { createCounter } from './counter.ts'

function counting(rules = { windowMs: 1000, perSource: 2, most: 4 }) {
  const time = { now: 0 }
  const counter = createCounter<string>({ now: () => time.now }, rules)
  const see = (source: string, what: string) =>
    counter.see({ source, same: `${source} ${what}`, value: `${source} ${what}` })
  return { time, counter, see }
}

test('the first is written, more of the same are counted until the window ends', () => {
  const { counter, see, time } = counting()
  expect(counter.dueMs()).toBeUndefined()
  expect([see('a', '1'), see('a', '1'), see('a', '1'), see('a', '2')]).toEqual([true, false, false, true])
  time.now = 400
  expect(counter.dueMs()).toBe(600)

  expect(counter.take()).toEqual([{ of: 'same', value: 'a 1', count: 2 }])
  expect(counter.take()).toEqual([])
  expect(counter.dueMs()).toBeUndefined()
  expect(see('a', '1')).toBe(true)
})

test('a source that varies what it sends uses up its own room only', () => {
  const { counter, see } = counting()
  const written = Array.from({ length: 50 }, (_, i) => see('a', String(i))).filter(Boolean)

  expect(written).toHaveLength(2)
  expect(see('b', '1')).toBe(true)
  expect(counter.take()).toEqual([{ of: 'source', value: 'a 49', count: 48 }])
})

test('however many sources there are, what is written and what is kept is bounded', () => {
  const { counter, see } = counting()
  const written = Array.from({ length: 10_000 }, (_, i) => see(`source-${i}`, '1')).filter(Boolean)

  expect(written).toHaveLength(4)
  expect(counter.take()).toEqual([{ of: 'all', value: 'source-9999 1', count: 9996 }])
})
