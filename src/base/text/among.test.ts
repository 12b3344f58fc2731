import fc from 'fast-check'
import { expect, test } from 'vitest'
import { among } from './among.ts'

test('agrees with a search through the names', () => {
  const name = fc.string({ maxLength: 2 })
  fc.assert(
    fc.property(fc.array(name, { maxLength: 30 }), name, (names, asked) => {
      expect(among(names)(asked)).toBe(names.includes(asked))
    }),
  )
})

test('without names every one is among them', () => {
  expect(among(null)('a')).toBe(true)
  expect(among(undefined)('a')).toBe(true)
  expect(among([])('a')).toBe(false)
})
