import { randomBytes, randomFillSync } from 'node:crypto'

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
  let text = ''
  for (let rest = now, i = 0; i < 10; i++) {
    text = CROCKFORD[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** What happened first must sort first, also when both happened within one tick of the clock. */
function inOrder(): Ids['ulid'] {
  let lastNow = Number.NaN
  let last = 0n
  return (now) => {
    // The highest bit stays free, so that adding never overflows.
    last = now === lastNow ? last + 1n + randomBits(4) : randomBits(10) >> 1n
    lastNow = now
    return encodeTime(now) + encodeBits(last)
  }
}

function randomBits(bytes: number): bigint {
  return BigInt(`0x${randomBytes(bytes).toString('hex')}`)
}

function encodeBits(bits: bigint): string {
  let text = ''
  for (let rest = bits, i = 0; i < 16; i++) {
    text = CROCKFORD[Number(rest & 31n)] + text
    rest >>= 5n
  }
  return text
}
