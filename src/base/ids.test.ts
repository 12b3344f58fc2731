import { expect, test } from 'vitest'
import { randomIds } from './ids.ts'

test('ulids of one millisecond sort in the order in which they were made', () => {
  const made = Array.from({ length: 1000 }, () => randomIds.ulid(1_700_000_000_000))

  expect(made.toSorted()).toEqual(made)
  expect(new Set(made).size).toBe(made.length)
  expect(made.every((ulid) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(ulid))).toBe(true)
})

test('ulids sort by time, also when the clock jumps', () => {
  const times = [5, 3, 9, 9, 1].map((at) => ({ at, ulid: randomIds.ulid(1_700_000_000_000 + at) }))

  const sorted = times.toSorted((a, b) => (a.ulid < b.ulid ? -1 : 1))

  expect(sorted.map(({ at }) => at)).toEqual([1, 3, 5, 9, 9])
})

test('ids have the form of Terraform Cloud', () => {
  expect(randomIds.id('ws')).toMatch(/^ws-[1-9A-HJ-NP-Za-km-z]{16}$/)
})
