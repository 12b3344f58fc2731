import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPrefix, compareKeys, keyFault } from './keys.ts'
import { prefixed } from './prefix.ts'

test('keys sort as their bytes do', () => {
  const text = fc.string({ unit: 'binary', maxLength: 4 })

  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 2000 },
  )
})

test('a good key survives UTF-8 and never climbs', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '.', '/', '\u0000', '\ud800', 'ü', '😀'), maxLength: 6 }),
      (key) => {
        if (keyFault(key) !== undefined) return
        expect(Buffer.from(key).toString()).toBe(key)
        expect(
          new URL(`http://host/${key.split('/').map(encodeURIComponent).join('/')}`).pathname.split('/'),
        ).toHaveLength(key.split('/').length + 1)
      },
    ),
    { numRuns: 2000 },
  )
})

test('every beginning of a good key is a good prefix', () => {
  const key = '.taco/..x/a b/ü/...'

  for (let i = 0; i <= key.length; i++) expect(() => checkPrefix(key.slice(0, i))).not.toThrow()
})

test('a prefix is put before keys and taken off again', () => {
  const { prefix, whole, short } = prefixed('/team/a/')

  expect(prefix).toBe('team/a/')
  expect(whole('x/y')).toBe('team/a/x/y')
  expect(short('team/a/x/y')).toBe('x/y')
  expect(short('team/ab')).toBeUndefined()
  expect(prefixed('').whole('x')).toBe('x')
})

test('a key that is too long only with its prefix is refused by name', () => {
  const { whole } = prefixed('p'.repeat(100))

  expect(() => whole('k'.repeat(1000))).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', facts: { field: 'key' } }),
  )
  expect(() => prefixed('a/../b')).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
})
