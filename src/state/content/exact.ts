import { TacoError } from '../../base/errors.ts'
import { MAX_NESTING } from './json-scan.ts'

/** JSON in which numbers keep every digit that was written, and objects keep no order that matters. */
export type Exact = null | boolean | string | ExactNumber | readonly Exact[] | ReadonlyMap<string, Exact>

export interface ExactNumber {
  /** Equal for equal numbers: `1`, `1.0` and `10e-1` are all `1e0`. */
  readonly digits: string
}

const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const MAX_EXPONENT_DIGITS = 20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * JSON.parse without losing digits; refuses an object that names a key twice, because readers disagree about it. It runs
 * for every output of every state that is written, so it looks at codes of characters and slices.
 */
export function parseExact(text: string): Exact {
  let at = 0

  function space(): void {
    for (let code = text.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;)
      code = text.charCodeAt(++at)
  }

  function expect(code: number): void {
    if (!comesNext(code)) throw notJson()
  }

  function comesNext(code: number): boolean {
    space()
    if (text.charCodeAt(at) !== code) return false
    at++
    return true
  }

  function string(): string {
    expect(QUOTE)
    const from = at
    at = text.indexOf('"', from) + 1
    if (at === 0) throw notJson()
    const plain = text.slice(from, at - 1)
    return plain.includes('\\') ? escapedString(from) : plain
  }

  function escapedString(from: number): string {
    for (at = from; ; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) break
      if (Number.isNaN(code)) throw notJson()
      if (code === 0x5c) at++
    }
    at++
    return unescape(text.slice(from - 1, at))
  }

  function value(depth: number): Exact {
    if (depth > MAX_NESTING) throw notJson()
    space()
    const code = text.charCodeAt(at)
    if (code === QUOTE) return string()
    if (code === OPEN_OBJECT) return object(depth)
    if (code === OPEN_LIST) return array(depth)
    for (const [word, meaning] of WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length
        return meaning
      }
    }
    NUMBER.lastIndex = at
    const literal = NUMBER.exec(text)?.[0]
    if (literal === undefined) throw notJson()
    at += literal.length
    return { digits: normalDigits(literal) }
  }

  function object(depth: number): Exact {
    const members = new Map<string, Exact>()
    at++
    if (comesNext(CLOSE_OBJECT)) return members
    do {
      const key = string()
      if (members.has(key))
        throw new TacoError('STATE_FORMAT', `The state names "${key}" twice in one object.`, {
          facts: { field: key },
        })
      expect(COLON)
      members.set(key, value(depth + 1))
    } while (comesNext(COMMA))
    expect(CLOSE_OBJECT)
    return members
  }

  function array(depth: number): Exact {
    const items: Exact[] = []
    at++
    if (comesNext(CLOSE_LIST)) return items
    do items.push(value(depth + 1))
    while (comesNext(COMMA))
    expect(CLOSE_LIST)
    return items
  }

  const whole = value(0)
  space()
  if (at !== text.length) throw notJson()
  return whole
}

const WORDS: ReadonlyArray<readonly [string, Exact]> = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** One text for all ways to write the same JSON: sorted keys, no spaces, normal numbers. */
export function canonical(value: Exact): string {
  if (isObject(value)) {
    const keys = [...value.keys()].sort()
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value.get(key) ?? null)}`).join(',')}}`
  }
  if (isList(value)) return `[${value.map(canonical).join(',')}]`
  if (isNumber(value)) return value.digits
  return JSON.stringify(value)
}

/** Ordinary JSON for a person or a program to read; a number that JavaScript cannot hold becomes its digits. */
export function plain(value: Exact): unknown {
  if (isObject(value)) return Object.fromEntries([...value].map(([key, member]) => [key, plain(member)]))
  if (isList(value)) return value.map(plain)
  if (!isNumber(value)) return value
  const number = Number(value.digits)
  return Number.isFinite(number) && normalDigits(String(number)) === value.digits ? number : value.digits
}

/** JSON text as people write it: sorted keys, no spaces, numbers with every digit and without an exponent. */
export function written(value: Exact): string {
  if (isObject(value)) {
    const keys = [...value.keys()].sort()
    return `{${keys.map((key) => `${JSON.stringify(key)}:${written(value.get(key) ?? null)}`).join(',')}}`
  }
  if (isList(value)) return `[${value.map(written).join(',')}]`
  return isNumber(value) ? writtenNumber(value.digits) : JSON.stringify(value)
}

const MOST_ZEROS = 60

function writtenNumber(digits: string): string {
  const [, sign = '', significant = '', power = '0'] = /^(-?)(\d+)e(-?\d+)/.exec(digits) ?? []
  if (significant === '') return '0'
  const exponent = Number(power)
  if (Math.abs(exponent) > MOST_ZEROS) return `${sign}${significant}e${power}`
  if (exponent >= 0) return `${sign}${significant}${'0'.repeat(exponent)}`
  const padded = significant.padStart(1 - exponent, '0')
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}

export function isObject(value: Exact | undefined): value is ReadonlyMap<string, Exact> {
  return value instanceof Map
}

export function isList(value: Exact | undefined): value is readonly Exact[] {
  return Array.isArray(value)
}

export function isNumber(value: Exact | undefined): value is ExactNumber {
  return typeof value === 'object' && value !== null && 'digits' in value
}

function normalDigits(literal: string): string {
  const [coefficient = '0', exponent = '0'] = literal.toLowerCase().split('e')
  const negative = coefficient.startsWith('-')
  const [whole = '0', fraction = ''] = coefficient.slice(negative ? 1 : 0).split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.slice(0, lastNonZero(digits) + 1)
  if (significant === '') return '0'
  // Absurd, and slow to compute with: such a number equals only what is written alike.
  if (exponent.length > MAX_EXPONENT_DIGITS)
    return `${negative ? '-' : ''}${significant}e${exponent}+${digits.length - significant.length - fraction.length}`
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)
  return `${negative ? '-' : ''}${significant}e${power}`
}

function lastNonZero(digits: string): number {
  let at = digits.length - 1
  while (at >= 0 && digits.charCodeAt(at) === 0x30) at--
  return at
}

function unescape(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch (error) {
    throw new TacoError('STATE_NOT_JSON', 'The state holds a malformed string.', { cause: error })
  }
}

function notJson(): TacoError {
  return new TacoError('STATE_NOT_JSON', 'The state is not JSON.')
}
