import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('others get their turn between two slices', async () => {
  const turns = new Turns(0)
  let others = 0
  const other = () => {
    others++
    if (others < 100) setImmediate(other)
  }
  setImmediate(other)

  for (let slice = 1; slice <= 20; slice++) {
    const before = others
    await turns.pause()
    expect(others).toBeGreaterThan(before)
  }
})

test('a slice that has just begun continues', () => {
  expect(new Turns(60_000).pause()).toBeUndefined()
})

test('slices are all of the bytes in order, and a few bytes are one', () => {
  const bytes = Uint8Array.from({ length: 1_000_003 }, (_, i) => i)
  const slices = [...new Turns().slices(bytes)]

  expect(slices.length).toBeGreaterThan(3)
  expect(Buffer.concat(slices).equals(bytes)).toBe(true)
  expect([...new Turns().slices(bytes.subarray(0, 100))]).toHaveLength(1)
  expect([...new Turns().slices(new Uint8Array(0))]).toHaveLength(1)
})
