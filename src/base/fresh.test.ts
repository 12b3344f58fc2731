import { expect, test } from 'vitest'
import { createFresh } from './fresh.ts'

/** Values that count how often they were read, at a time that the test moves. */
function counted() {
  let now = 1_000_000
  const reads: string[] = []
  const answers: (() => void)[] = []
  const fresh = createFresh<string, number>({
    clock: { now: () => now },
    forMs: 2_000,
    most: 10,
    keyOf: (key) => key,
    read(key) {
      reads.push(key)
      const count = reads.length
      if (key === 'slow') return new Promise((resolve) => answers.push(() => resolve(count)))
      return key === 'broken' ? Promise.reject(new Error('broken')) : Promise.resolve(count)
    },
  })
  return { fresh, reads, answers, pass: (ms: number) => (now += ms) }
}

test('a value is read once while it is fresh, and is there at once', async () => {
  const { fresh, reads, pass } = counted()
  expect(await fresh.get('a')).toBe(1)
  pass(1_999)
  expect(fresh.get('a')).toBe(1)
  pass(1)
  expect(await fresh.get('a')).toBe(2)
  expect(reads).toEqual(['a', 'a'])
})

test('a clock that was set back makes a value old', async () => {
  const { fresh, pass } = counted()
  await fresh.get('a')
  pass(-5_000)
  expect(await fresh.get('a')).toBe(2)
})

test('callers share one reading', async () => {
  const { fresh, reads, answers } = counted()
  const both = [fresh.get('slow'), fresh.get('slow')]
  answers[0]?.()
  expect(await Promise.all(both)).toEqual([1, 1])
  expect(reads).toHaveLength(1)
})

test('what is forgotten during a reading is read again', async () => {
  const { fresh, answers } = counted()
  const before = fresh.get('slow')
  fresh.forget('slow')
  const after = fresh.get('slow')
  for (const answer of answers) answer()
  expect(await Promise.all([before, after, fresh.get('slow')])).toEqual([1, 2, 2])
})

test('a failure reaches every caller and is not kept', async () => {
  const { fresh, reads } = counted()
  const both = [fresh.get('broken'), fresh.get('broken')]
  await expect(Promise.all(both)).rejects.toThrow('broken')
  await expect(fresh.get('broken')).rejects.toThrow('broken')
  expect(reads).toHaveLength(2)
})
