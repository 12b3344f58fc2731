import { expect, test } from 'vitest'
import { randomIds, ulidTime } from './ids.ts'

test('ulids of one millisecond sort as they were made, and carry their time', () => {
  const made = Array.from({ length: 1000 }, () => randomIds.ulid(1_700_000_000_123))

  expect(made.toSorted()).toEqual(made)
  expect(new Set(made).size).toBe(1000)
  expect(made.every((ulid) => ulid.length === 26 && ulidTime(ulid) === 1_700_000_000_123)).toBe(true)
})
