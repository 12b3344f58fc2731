import { createHash, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto'
import { badRequest } from '../../base/errors.ts'
import type { TacoError } from '../../base/errors.ts'

/** One secret key. Its bytes are in a KeyObject, which prints as nothing. */
export interface SecretKey {
  readonly id: string
  readonly key: KeyObject
}

const KEY_BYTES = 32
/** A random key has about 30 different bytes. One with so few is a pattern or a repeated word. */
const FEWEST_DIFFERENT_BYTES = 12
const ID = /^[0-9A-Za-z_-]{1,32}$/

/**
 * Keys separated by commas, spaces or lines; `#` starts a comment. A key is `<id>:<32 bytes>` or only the 32 bytes, as
 * base64 or hexadecimal digits. The first key seals, the others only open. Messages never repeat any part of a key.
 */
export function parseKeys(text: string, from: string): readonly SecretKey[] {
  const words = text
    .split('\n')
    .flatMap((line) => line.replace(/#.*$/, '').split(/[\s,]+/))
    .filter(Boolean)
  const found: SecretKey[] = []
  for (const [at, word] of words.entries()) {
    const one = parseKey(word, () => `Key ${at + 1} of ${from}`)
    const same = found.find(({ id }) => id === one.id)
    if (same === undefined) found.push(one)
    else if (!same.key.equals(one.key))
      throw unusable(`${from} has two different keys with the id ${one.id}.`)
  }
  if (found.length === 0) throw unusable(`There is no key in ${from}.`)
  return found
}

function parseKey(word: string, which: () => string): SecretKey {
  const [, id, text = ''] = /^(?:([^:]*):)?(.*)$/.exec(word) ?? []
  if (id !== undefined && !ID.test(id))
    throw unusable(
      `${which()} has an unusable id: it must have 1 to 32 letters, digits, hyphens or underscores.`,
    )
  const bytes = decoded(text)
  if (bytes?.length !== KEY_BYTES)
    throw unusable(`${which()} is not ${KEY_BYTES} bytes in base64 or hexadecimal digits.`)
  if (new Set(bytes).size < FEWEST_DIFFERENT_BYTES) throw unusable(`${which()} is not random.`)
  return { id: id ?? idOf(bytes), key: createSecretKey(bytes) }
}

/** A fresh key as it is written into a file or TACO_SECRET_KEY. */
export function newKeyText(): { readonly id: string; readonly text: string } {
  const bytes = randomBytes(KEY_BYTES)
  const id = idOf(bytes)
  return { id, text: `${id}:${bytes.toString('base64')}` }
}

function decoded(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
}

/** Reveals nothing of the key: it is a hash of a key that is derived from it for this use only. */
function idOf(bytes: Buffer): string {
  const derived = hkdfSync('sha256', bytes, '', 'opentaco key id', KEY_BYTES)
  return createHash('sha256').update(Buffer.from(derived)).digest('hex').slice(0, 12)
}

function unusable(message: string): TacoError {
  return badRequest('secretKey', message, 'Create a key with `taco secret-key new`.')
}
