import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonical, parseExact, plain, written } from './exact.ts'

test('what is parsed exactly is what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      // JSON.parse makes `__proto__` an ordinary member and so do we; toEqual does not distinguish -0 from 0.
      expect(JSON.stringify(sorted(plain(parseExact(text))))).toBe(JSON.stringify(sorted(JSON.parse(text))))
    }),
    { numRuns: 1000 },
  )
})

test('the canonical text ignores spaces and the order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonical(parseExact(JSON.stringify(value, undefined, 3)))).toBe(
        canonical(parseExact(JSON.stringify(reversed(value)))),
      )
    }),
  )
})

test.each([
  ['1', '1.0'],
  ['1', '10e-1'],
  ['100', '1E+2'],
  ['0', '-0.000e5'],
  ['-1.50', '-15e-1'],
  ['123456789012345678901234567890', '12345678901234567890123456789e1'],
])('%s and %s are the same number', (a, b) => {
  expect(canonical(parseExact(a))).toBe(canonical(parseExact(b)))
})

test.each([
  ['9007199254740992', '9007199254740993'],
  ['0.1', '0.10000000000000000001'],
  ['1', '"1"'],
  ['1', '-1'],
  ['1e400', '1e401'],
])('%s and %s are not the same', (a, b) => {
  expect(canonical(parseExact(a))).not.toBe(canonical(parseExact(b)))
})

test('a number that JavaScript cannot hold is shown by its digits', () => {
  expect(plain(parseExact('[9007199254740993, 0.5, 1e400]'))).toEqual(['9007199254740993', 0.5, '1e400'])
})

test.each(['', '{', '[1,]', '{"a"}', '{"a":1,}', '01', '1.', '"', '"\\x"', 'tru', '[] []'])(
  '%j is refused',
  (text) => {
    expect(() => parseExact(text)).toThrow(expect.objectContaining({ code: 'STATE_NOT_JSON' }))
  },
)

test('an absurd exponent takes no time', () => {
  const digits = '9'.repeat(10_000_000)

  expect(canonical(parseExact(`1e${digits}`))).toBe(canonical(parseExact(`1E${digits}`)))
  expect(canonical(parseExact(`1e${digits}`))).not.toBe(canonical(parseExact(`1e-${digits}`)))
})

test('nesting without end is refused', () => {
  expect(() => parseExact('['.repeat(100_000))).toThrow(expect.objectContaining({ code: 'STATE_NOT_JSON' }))
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  )
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)])
}

test.each(['8080', '-12.5', '0', '0.001', '12345678901234567890.5', '1e+99', '100000000000000000000000'])(
  'the number %s is written with every digit and means the same',
  (literal) => {
    const text = written(parseExact(literal))

    expect(Number(text)).toBe(Number(literal))
    expect(canonical(parseExact(text))).toBe(canonical(parseExact(literal)))
    if (!literal.includes('e')) expect(text).toBe(literal)
  },
)
