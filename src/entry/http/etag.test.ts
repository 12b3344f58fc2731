import fc from 'fast-check'
import { expect, test } from 'vitest'
import { etagOf, tagOfIfMatch, tagOfIfNoneMatch } from './etag.ts'

test('any tag survives the way through an entity tag', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (tag) => {
      expect(etagOf(tag)).toMatch(/^"[\x21\x23-\x7e]+"$/)
      expect(tagOfIfNoneMatch(etagOf(tag))).toBe(tag)
      expect(tagOfIfMatch(etagOf(tag))).toBe(tag)
    }),
  )
})

test('a weak tag and a star are fine for reading; for changing, a weak one never holds and a star is any', () => {
  expect(tagOfIfNoneMatch('W/"a"')).toBe('a')
  expect(tagOfIfMatch('W/"a"')).toBe('W/a')
  expect(tagOfIfMatch('*')).toBeUndefined()
  expect(() => tagOfIfMatch('a')).toThrow('entity tag')
  expect(() => tagOfIfMatch('"a", "b"')).toThrow('entity tag')
})
