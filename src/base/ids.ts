import { createHash, randomFillSync } from 'node:crypto'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Randomness enters through this, so that tests can repeat a run. */
export interface Ids {
  /** Terraform Cloud's form: a prefix, a dash, 16 characters. */
  id(prefix: string): string
  /** Sorts by time, and those made here within one millisecond by the order of making; 26 characters. */
  ulid(now: number): string
}

export const randomIds: Ids = {
  id: (prefix) => `${prefix}-${base58(16)}`,
  ulid: inOrder(),
}

/** The same for the same request: what it makes is made once. 64 bits of a hash. */
export function idOfRequest(prefix: string, key: string): string {
  return `${prefix}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}

/** Uniform: bytes that would favour some characters are thrown away. */
function base58(length: number): string {
  let text = ''
  while (text.length < length) {
    const byte = randomByte()
    if (byte < 232) text += ALPHABET[byte % 58]
  }
  return text
}

/** Asking for random bytes costs the same for a few as for many. */
const pool = Buffer.alloc(1024)
let poolAt = pool.length

function randomByte(): number {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  const byte = pool[poolAt] ?? 0
  pool[poolAt++] = 0
  return byte
}

export function encodeTime(now: number): string {
  return encode(now, 10)
}

/** NaN: it is no such text. */
export function decodeTime(text: string): number {
  let time = text.length === 10 ? 0 : Number.NaN
  for (const digit of text) {
    const value = CROCKFORD.indexOf(digit)
    time = time * 32 + (value === -1 ? Number.NaN : value)
  }
  return time
}

/** Half of the 80 bits that follow the time; a number holds no more than 53 of them. */
const HALF = 2 ** 40

/** What happened first must sort first, also when both happened within one tick of the clock. */
function inOrder(): Ids['ulid'] {
  let lastNow = Number.NaN
  let high = 0
  let low = 0
  return (now) => {
    if (now === lastNow) {
      low += 1 + randomNumber(4)
      if (low >= HALF) high++
      low %= HALF
    } else {
      // The highest bit stays free, so that adding never overflows.
      high = Math.floor(randomNumber(5) / 2)
      low = randomNumber(5)
    }
    lastNow = now
    return encodeTime(now) + encode(high, 8) + encode(low, 8)
  }
}

function randomNumber(bytes: number): number {
  let number = 0
  for (let i = 0; i < bytes; i++) number = number * 256 + randomByte()
  return number
}

function encode(number: number, digits: number): string {
  let text = ''
  for (let rest = number, i = 0; i < digits; i++) {
    text = CROCKFORD[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}
