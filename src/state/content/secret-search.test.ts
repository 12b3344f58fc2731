import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { SecretSearch } from './secret-search.ts'

/** Few letters, so that secrets overlap, repeat and begin alike. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', '\u{1f600}'), minLength: 1, maxLength: 8 })

test('finds exactly what looking for each of them finds', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(word, { maxLength: 12 }), (secrets, words) => {
      const text = words.join('')
      expect(new SecretSearch(secrets).isIn(text)).toBe(secrets.some((secret) => text.includes(secret)))
    }),
    { numRuns: 2000 },
  )
})

test('looks at each character a few times, for any number of secrets and however similar they are', () => {
  const alike = Array.from({ length: 200 }, (_, i) => `${'a'.repeat(i)}b${'a'.repeat(200)}c`)
  const length = alike.reduce((sum, secret) => sum + secret.length, 0)
  const text = 'a'.repeat(50_000)
  const steps = vi.spyOn(Map.prototype, 'get')
  try {
    const search = new SecretSearch(alike)
    const building = steps.mock.calls.length
    expect(search.isIn(text)).toBe(false)
    expect(building).toBeLessThanOrEqual(4 * length)
    expect(steps.mock.calls.length - building).toBeLessThanOrEqual(3 * text.length)
  } finally {
    steps.mockRestore()
  }
})

test('with too many secrets to search for, it takes everything for one', () => {
  const search = new SecretSearch(['abcd', 'efgh', 'ijkl'], 9)
  expect(search.isIn('nothing of the kind')).toBe(true)
  expect(new SecretSearch(['abcd', 'efgh'], 9).isIn('nothing of the kind')).toBe(false)
})
