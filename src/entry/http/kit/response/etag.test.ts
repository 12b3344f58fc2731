import fc from 'fast-check'
import { expect, test } from 'vitest'
import { etagOf, expectedBy, isUnchanged, refuseConditions, singleTag } from './etag.ts'

test('any tag survives the way through an entity tag', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (tag) => {
      expect(etagOf(tag)).toMatch(/^"[\x21\x23-\x7e]+"$/)
      expect(singleTag(etagOf(tag))).toBe(tag)
      expect(expectedBy({ 'if-match': etagOf(tag) })).toEqual([tag])
      expect(isUnchanged({ 'if-none-match': etagOf(tag) }, tag, 'it')).toBe(true)
    }),
  )
})

test.each([
  ['"a"', ['a']],
  ['"a", "b" ,"c"', ['a', 'b', 'c']],
  ['W/"a", "b"', ['b']],
  ['W/"a"', []],
  ['*', 'any'],
] as const)('If-Match: %s expects %j', (header, expected) => {
  expect(expectedBy({ 'if-match': header })).toEqual(expected)
})

test.each([
  [{ 'if-match': 'a' }, 'If-Match'],
  [{ 'if-match': '"a" "b"' }, 'If-Match'],
  [{ 'if-match': '' }, 'If-Match'],
  [{ 'if-none-match': '"a"' }, 'If-None-Match'],
  [{ 'if-match': '"a"', 'if-none-match': '*' }, 'If-None-Match'],
  [{ 'if-unmodified-since': 'Sun, 15 Nov 2026 00:00:00 GMT' }, 'If-Unmodified-Since'],
])('a change refuses %j', (conditions, field) => {
  expect(() => expectedBy(conditions)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', facts: { field } }),
  )
})

test('a change can ask that there be nothing yet', () => {
  expect(expectedBy({ 'if-none-match': '*' })).toBe('none')
  expect(expectedBy({})).toBeUndefined()
})

test.each(['If-Match', 'If-None-Match', 'If-Unmodified-Since'])(
  '%s is refused where it means nothing',
  (field) => {
    expect(() => refuseConditions({ [field.toLowerCase()]: '"a"' })).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', facts: { field } }),
    )
    expect(() => refuseConditions({})).not.toThrow()
  },
)

test.each([
  ['"a"', 'a', true],
  ['W/"a"', 'a', true],
  ['"b", W/"a"', 'a', true],
  ['"b"', 'a', false],
  ['*', 'a', true],
  ['*', null, false],
  ['nonsense', 'a', false],
] as const)('If-None-Match: %s of %s is unchanged: %s', (header, tag, unchanged) => {
  expect(isUnchanged({ 'if-none-match': header }, tag, 'it')).toBe(unchanged)
})

test.each([
  ['"a", "b"', 'b', true],
  ['W/"b"', 'b', false],
  ['"a"', 'b', false],
  ['*', 'b', true],
  ['*', null, false],
  ['"a"', null, false],
] as const)('a read with If-Match: %s of %s is answered: %s', (header, tag, answered) => {
  const read = () => isUnchanged({ 'if-match': header }, tag, 'it')
  if (answered) expect(read()).toBe(false)
  else expect(read).toThrow(expect.objectContaining({ code: 'PRECONDITION_FAILED' }))
})
