import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTacoError } from '../../base/errors.ts'
import { decodeSegments, encodeSegments } from './segments.ts'

const segment = fc.record({
  base: fc.oneof(fc.constant(-1), fc.nat(2 ** 31)),
  length: fc.integer({ min: 1, max: 2 ** 31 }),
})

test('segments decode to what they were', () => {
  fc.assert(
    fc.property(fc.array(segment), (all) => {
      const segments = all.filter(({ base }, i) => base >= 0 || (all[i - 1]?.base ?? 0) >= 0)
      const size = segments.reduce((sum, { length }) => sum + length, 0)

      expect(decodeSegments(encodeSegments(segments), 2 ** 40, size)).toEqual(segments)
    }),
  )
})

test('any bytes are segments within base and size, or damage', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(5000), fc.nat(5000), (bytes, baseSize, size) => {
      try {
        const segments = decodeSegments(bytes, baseSize, size)
        expect(segments.every(({ base, length }) => base + length <= baseSize || base === -1)).toBe(true)
        expect(segments.reduce((sum, { length }) => sum + length, 0)).toBe(size)
      } catch (error) {
        expect(isTacoError(error, 'BUCKET_CORRUPT')).toBe(true)
      }
    }),
    { numRuns: 2000 },
  )
})
