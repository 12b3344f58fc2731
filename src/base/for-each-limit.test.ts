import { expect, test } from 'vitest'
import { forEachLimit } from './for-each-limit.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('works on every item, never on more than the limit at once', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await forEachLimit(
    Array.from({ length: 20 }, (_, item) => item),
    3,
    async (item) => {
      most = Math.max(most, ++running)
      await turn()
      running--
      done.push(item)
    },
  )
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, item) => item))
  expect(most).toBe(3)
})

test('after a failure no item is started, and those under way end before it is thrown', async () => {
  const started: number[] = []
  const ended: number[] = []
  const work = async (item: number) => {
    started.push(item)
    if (item === 1) throw new Error('item 1')
    for (let turns = 0; turns < 5; turns++) await turn()
    ended.push(item)
  }
  await expect(forEachLimit([0, 1, 2, 3, 4, 5], 3, work)).rejects.toThrow('item 1')
  expect(started).toEqual([0, 1, 2])
  expect(ended).toEqual([0, 2])
})
