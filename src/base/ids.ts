import { randomBytes } from 'node:crypto'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Randomness enters through this, so that tests can repeat a run. */
export interface Ids {
  /** Terraform Cloud's form: a prefix, a dash, 16 characters. */
  id(prefix: string): string
  /** Sorts by time; 26 characters. */
  ulid(now: number): string
}

export const randomIds: Ids = {
  id: (prefix) => `${prefix}-${base58(16)}`,
  ulid: (now) => encodeTime(now) + encodeRandom(randomBytes(10)),
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

function encodeRandom(bytes: Uint8Array): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < 16; i++) {
    text = CROCKFORD[Number(bits & 31n)] + text
    bits >>= 5n
  }
  return text
}
