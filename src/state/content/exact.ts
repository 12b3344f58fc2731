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
  return new Parser(text).whole()
}

class Parser {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  whole(): Exact {
    const whole = this.value(0)
    this.space()
    if (this.at !== this.text.length) throw notJson()
    return whole
  }

  private space(): void {
    const { text } = this
    for (
      let code = text.charCodeAt(this.at);
      code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
    )
      code = text.charCodeAt(++this.at)
  }

  private expect(code: number): void {
    if (!this.comesNext(code)) throw notJson()
  }

  private comesNext(code: number): boolean {
    this.space()
    if (this.text.charCodeAt(this.at) !== code) return false
    this.at++
    return true
  }

  private string(): string {
    this.expect(QUOTE)
    const from = this.at
    this.at = this.text.indexOf('"', from) + 1
    if (this.at === 0) throw notJson()
    const plain = this.text.slice(from, this.at - 1)
    return plain.includes('\\') ? this.escapedString(from) : plain
  }

  private escapedString(from: number): string {
    for (this.at = from; ; this.at++) {
      const code = this.text.charCodeAt(this.at)
      if (code === QUOTE) break
      if (Number.isNaN(code)) throw notJson()
      if (code === 0x5c) this.at++
    }
    this.at++
    return unescape(this.text.slice(from - 1, this.at))
  }

  private value(depth: number): Exact {
    if (depth > MAX_NESTING) throw notJson()
    this.space()
    const code = this.text.charCodeAt(this.at)
    if (code === QUOTE) return this.string()
    if (code === OPEN_OBJECT) return this.object(depth)
    if (code === OPEN_LIST) return this.array(depth)
    for (const [word, meaning] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return meaning
      }
    }
    NUMBER.lastIndex = this.at
    const literal = NUMBER.exec(this.text)?.[0]
    if (literal === undefined) throw notJson()
    this.at += literal.length
    return { digits: normalDigits(literal) }
  }

  private object(depth: number): Exact {
    const members = new Map<string, Exact>()
    this.at++
    if (this.comesNext(CLOSE_OBJECT)) return members
    do {
      const key = this.string()
      if (members.has(key))
        throw new TacoError('STATE_FORMAT', `The state contains "${key}" twice in one object.`, {
          facts: { field: key },
        })
      this.expect(COLON)
      members.set(key, this.value(depth + 1))
    } while (this.comesNext(COMMA))
    this.expect(CLOSE_OBJECT)
    return members
  }

  private array(depth: number): Exact {
    const items: Exact[] = []
    this.at++
    if (this.comesNext(CLOSE_LIST)) return items
    do items.push(this.value(depth + 1))
    while (this.comesNext(COMMA))
    this.expect(CLOSE_LIST)
    return items
  }
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

/** Ordinary JSON for a person or a program to read; a number that JavaScript cannot hold becomes text: its digits. */
export function plain(value: Exact): unknown {
  if (isObject(value)) return Object.fromEntries([...value].map(([key, member]) => [key, plain(member)]))
  if (isList(value)) return value.map(plain)
  if (!isNumber(value)) return value
  return isHeld(value) ? Number(value.digits) : writtenNumber(value.digits)
}

/** Does `plain` keep it as it is, or is there a number in it that JavaScript cannot hold? */
export function isPlain(value: Exact): boolean {
  if (isObject(value)) return [...value.values()].every(isPlain)
  if (isList(value)) return value.every(isPlain)
  return !isNumber(value) || isHeld(value)
}

function isHeld({ digits }: ExactNumber): boolean {
  const number = Number(digits)
  return Number.isFinite(number) && normalDigits(String(number)) === digits
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
    throw new TacoError('STATE_NOT_JSON', 'The state contains a malformed string.', { cause: error })
  }
}

function notJson(): TacoError {
  return new TacoError('STATE_NOT_JSON', 'The state is not JSON.')
}
