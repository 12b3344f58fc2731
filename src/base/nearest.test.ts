import { expect, test } from 'vitest'
import { distanceOf, nearest } from './nearest.ts'

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
