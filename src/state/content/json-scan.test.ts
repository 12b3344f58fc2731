import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTacoError } from '../../base/errors.ts'
import { JsonScan, MAX_NESTING } from './json-scan.ts'

const silent = { key: () => {}, begin: () => false, piece: () => {}, end: () => {} }

function verdict(bytes: Uint8Array, cuts: readonly number[] = []): boolean {
  const scan = new JsonScan(silent)
  try {
    let from = 0
    for (const cut of [...cuts].sort((a, b) => a - b)) {
      const to = Math.min(cut, bytes.length)
      // The buffer is wiped after the push: a scan must not look at it again.
      const chunk = new Uint8Array(bytes.subarray(from, to))
      scan.push(chunk)
      chunk.fill(0)
      from = Math.max(from, to)
    }
    scan.push(bytes.subarray(from))
    scan.finish()
    return true
  } catch (error) {
    if (isTacoError(error, 'STATE_NOT_JSON')) return false
    throw error
  }
}

function nativeVerdict(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}

const fragments = fc.oneof(
  fc.constantFrom(...'{}[]:,"\\ \n\t\r0123456789-+.eEutrfalsn'),
  fc.constantFrom(
    'true',
    'false',
    'null',
    '"a"',
    '1.5e-3',
    '-0',
    '\\u00e9',
    '{"a":',
    '[1,',
    'ü',
    '€',
    '😀',
    '\u0000',
    '\ufeff',
    '    ',
  ),
  fc.string({ unit: 'grapheme' }),
)
const cuts = fc.array(fc.nat(300), { maxLength: 6 })

test('a scan accepts what JSON.parse accepts and nothing else, wherever the chunks are cut', () => {
  const mutilated = fc.tuple(fc.json(), fc.nat(), fc.nat(4), fragments).map(([json, at, drop, insert]) => {
    const place = at % (json.length + 1)
    return json.slice(0, place) + insert + json.slice(place + drop)
  })
  const texts = fc.oneof(
    fc.json(),
    mutilated,
    fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join('')),
  )

  fc.assert(
    fc.property(texts, cuts, (text, places) => {
      const bytes = Buffer.from(text)
      expect(verdict(bytes, places)).toBe(nativeVerdict(bytes))
    }),
    { numRuns: 3000 },
  )
})

test('corners of the grammar are judged as JSON.parse does, cut at every place', () => {
  const strings = [
    '"\\u12"',
    '"\\u123"',
    '"\\u12g4"',
    '"\\u12345"',
    '"\\uD800"',
    '"\\x"',
    '"\\"',
    '"\t"',
    '"abcdefgh\nabcd"',
    '"a\u007fb"',
  ]
  const numbers = [
    '-',
    '-a',
    '01',
    '-01',
    '.5',
    '1.',
    '1.e1',
    '1e',
    '1e+',
    '1E-05',
    '0e0',
    '-0.0',
    '1..2',
    '1e1.5',
    '--1',
    '+1',
    '1-',
  ]
  const others = [
    'tru',
    'truex',
    'nul',
    'nulll',
    'falsey',
    '[1 2]',
    '{"a" 1}',
    '{"a":1,}',
    '[,1]',
    '[1,,2]',
    '{,}',
    '{"a":1 "b":2}',
    '[}',
    '{]',
    '\u00a01',
    '{1:2}',
    '[]]',
    '\v1',
    ' \r\n\t[ ] ',
  ]
  for (const text of [...strings, ...numbers, ...others].flatMap((each) => [
    each,
    `[${each}]`,
    `{"k":${each}}`,
  ])) {
    const bytes = Buffer.from(text)
    for (let cut = 0; cut <= bytes.length; cut++)
      expect([text, verdict(bytes, [cut])]).toEqual([text, nativeVerdict(bytes)])
  }
})

test('bytes that are not UTF-8 are refused, wherever the chunks are cut', () => {
  const broken = fc
    .tuple(fc.string({ unit: 'grapheme' }), fc.nat(), fc.integer({ min: 0x80, max: 0xff }))
    .map(([text, at, byte]) => {
      const bytes = Buffer.from(JSON.stringify(text))
      bytes[1 + (at % Math.max(1, bytes.length - 2))] = byte
      return bytes
    })

  fc.assert(
    fc.property(broken, cuts, (bytes, places) => {
      expect(verdict(bytes, places)).toBe(nativeVerdict(bytes))
    }),
    { numRuns: 2000 },
  )
})

test('a fault is reported with its line and byte', () => {
  const scan = new JsonScan(silent)
  scan.push(Buffer.from('{\n  "a": 1,\n  '))

  expect(() => scan.push(Buffer.from('"b": x\n}'))).toThrow(
    expect.objectContaining({ code: 'STATE_NOT_JSON', facts: { line: 3, column: 8, offset: 19 } }),
  )
})

test('nesting is limited', () => {
  const deep = (levels: number): Buffer => Buffer.from('['.repeat(levels) + ']'.repeat(levels))

  expect(verdict(deep(MAX_NESTING))).toBe(true)
  expect(verdict(deep(MAX_NESTING + 1))).toBe(false)
})

test('an endless key does not fill the memory', () => {
  const scan = new JsonScan(silent)
  scan.push(Buffer.from('{"'))
  const letters = Buffer.alloc(10_000, 'k')

  expect(() => {
    for (let i = 0; i < 100; i++) scan.push(letters)
  }).toThrow(expect.objectContaining({ code: 'STATE_NOT_JSON' }))
})

test('shallow keys and values are reported with their places', () => {
  const text = '{"a":{"b":[1,{"c":[2,[3]]}]},"d":"x"}'
  const seen: string[] = []
  const scan = new JsonScan({
    key: (depth, bytes, start, end) =>
      seen.push(`${depth} ${Buffer.from(bytes).toString('utf8', start, end)}`),
    begin: (depth, _first, at) => {
      seen.push(`${depth} ${text.slice(at, at + 1)}`)
      return depth === 1
    },
    piece: (bytes) => void seen.push(Buffer.from(bytes).toString()),
    end: () => {},
  })

  scan.push(Buffer.from(text))
  scan.finish()

  expect(seen).toEqual([
    '0 {',
    '1 a',
    '1 {',
    '2 b',
    '2 [',
    '3 1',
    '3 {',
    '4 [',
    '{"b":[1,{"c":[2,[3]]}]}',
    '1 d',
    '1 "',
    '"x"',
  ])
})
