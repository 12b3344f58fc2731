import { expect, test } from 'vitest'
import { oneLine, plainJson, plainLines } from './terminal-text.ts'

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const dangerous = [
  ...range(0x00, 0x08),
  ...range(0x0b, 0x1f),
  0x7f,
  ...range(0x80, 0x9f),
  0x061c,
  0x200b,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  ...range(0x202a, 0x202e),
  ...range(0x2060, 0x2064),
  ...range(0x2066, 0x2069),
  0xfeff,
  0xe0001,
  0xe0041,
]

test.each(dangerous.map((code) => [code.toString(16), String.fromCodePoint(code)]))(
  'U+%s reaches no terminal',
  (_, sign) => {
    for (const hasColours of [true, false]) expect(plainLines(`a${sign}b\n`, { hasColours })).toBe('a b\n')
    expect(oneLine(`a${sign}${sign}b`)).toBe('a b')
    const json = JSON.stringify({ [`k${sign}`]: sign })
    expect(plainJson(json)).not.toContain(sign)
    expect(JSON.parse(plainJson(json))).toEqual(JSON.parse(json))
  },
)

test('what people write stays as it is', () => {
  const text = 'Zürich, 東京, שלום, می‌خواهم, 👩‍👩‍👧, a\u00a0b, e\u0301'

  expect(oneLine(text)).toBe(text)
  expect(plainLines(`${text}\t\n`, { hasColours: false })).toBe(`${text}\t\n`)
  expect(plainJson(JSON.stringify(text))).toBe(JSON.stringify(text))
})

test('our own colours stay where there are any, and no other sequence does', () => {
  const text = '\u001b[31mred\u0007\u001b[39m \u001b[2J\u001b]0;title\u0007'

  expect(plainLines(text, { hasColours: true })).toBe('\u001b[31mred \u001b[39m  [2J ]0;title ')
  expect(plainLines(text, { hasColours: false })).not.toContain('\u001b')
})
