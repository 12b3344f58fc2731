import { expect, test } from 'vitest'
import { distanceOf, nearest, sayNames } from './nearest.ts'

test('the nearest name is found when it is near enough', () => {
  const names = ['prod/network', 'prod/database', 'dev/network']

  expect(nearest('prod/netwrok', names)).toBe('prod/network')
  expect(nearest('dev/netwok', names)).toBe('dev/network')
  expect(nearest('something else', names)).toBeUndefined()
  expect(nearest('x', [])).toBeUndefined()
})

test('a swap of neighbours is one edit', () => {
  expect(distanceOf('ab', 'ba')).toBe(1)
  expect(distanceOf('kitten', 'sitting')).toBe(3)
  expect(distanceOf('', 'abc')).toBe(3)
})

test('guessing ends when it takes too long, and so do the names in an answer', () => {
  const many = Array.from({ length: 5000 }, (_, i) => `${'x'.repeat(60)}${i}`)
  let asked = 0
  function* counted() {
    for (const name of many) {
      asked++
      yield name
    }
  }

  expect(nearest(`${'y'.repeat(60)}1`, counted())).toBeUndefined()
  expect(asked).toBeLessThan(1000)
  expect(sayNames(many).split(', ')).toHaveLength(100)
  expect(sayNames(many)).toMatch(/ and 4900 more$/)
  expect(sayNames([])).toBe('none')
})
