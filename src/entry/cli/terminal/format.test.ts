import { expect, test } from 'vitest'
import { age, bytes, count, duration, parseBytes, parseDuration } from './format.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [51_200, '51 kB'],
  [999_600, '1.0 MB'],
  [200_000_000, '200 MB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (size, said) => {
  expect(bytes(size)).toBe(said)
})

test('ages are said in the unit that fits', () => {
  const now = Date.parse('2026-01-10T00:00:00Z')
  const ago = (seconds: number) => age(new Date(now - seconds * 1000).toISOString(), now)

  expect([1, 45, 120, 7200, 3 * 86_400, -5].map(ago)).toEqual([
    'just now',
    '45 s ago',
    '2 min ago',
    '2 h ago',
    '3 d ago',
    'just now',
  ])
  expect(age('never', now)).toBe('?')
  expect(duration(89)).toBe('89 s')
  expect(count(1, 'unit')).toBe('1 unit')
  expect(count(12_000, 'unit')).toBe('12,000 units')
})

test('times and sizes are read as people write them, and nothing else is', () => {
  expect([
    parseDuration('90s'),
    parseDuration('30m'),
    parseDuration('2h'),
    parseDuration('1d'),
    parseDuration('5'),
  ]).toEqual([90_000, 1_800_000, 7_200_000, 86_400_000, undefined])
  expect([
    parseBytes('10'),
    parseBytes('512kB'),
    parseBytes('2 GB'),
    parseBytes('-1'),
    parseBytes('1TB'),
  ]).toEqual([10, 512_000, 2_000_000_000, undefined, undefined])
})
