import { randomBytes } from 'node:crypto'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Randomness enters through this, so that tests can repeat a run. */
export interface Ids {
  /** Terraform Cloud's form: a prefix, a dash, 16 characters. */
  id(prefix: string): string
  /** Sorts by time, and within a millisecond by when this process made it; 26 characters. */
  ulid(now: number): string
}

export const randomIds: Ids = {
  id: (prefix) => `${prefix}-${base58(16)}`,
  ulid: growingUlids(),
}

/** Two of one millisecond follow each other, so that what one process tells comes out in the order it was told. */
function growingUlids(): (now: number) => string {
  let last = { now: Number.NaN, bits: 0n }
  return (now) => {
    last = { now, bits: now === last.now ? last.bits + 1n : randomBits() }
    return encodeTime(now) + encodeBits(last.bits)
  }
}

/** Uniform: bytes that would favour some characters are thrown away. */
function base58(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 232 && text.length < length) text += ALPHABET[byte % 58]
    }
  }
  return text
}

export function encodeTime(now: number): string {
  let text = ''
  for (let rest = now, i = 0; i < 10; i++) {
    text = CROCKFORD[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

export function ulidTime(ulid: string): number {
  let time = 0
  for (const char of ulid.slice(0, 10)) time = time * 32 + CROCKFORD.indexOf(char)
  return time
}

/** 79 of the 80 bits: there is room to count up. */
function randomBits(): bigint {
  return BigInt(`0x${randomBytes(10).toString('hex')}`) >> 1n
}

function encodeBits(number: bigint): string {
  let bits = number
  let text = ''
  for (let i = 0; i < 16; i++) {
    text = CROCKFORD[Number(bits & 31n)] + text
    bits >>= 5n
  }
  return text
}
