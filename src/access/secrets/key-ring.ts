import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { TacoError } from '../../base/errors.ts'
import type { SecretKey } from './keys.ts'

/**
 * Seals secrets before they are stored, and makes keyed hashes. Several keys can open, so that a key can be replaced:
 * the current one seals, and what an older one sealed is sealed again when it is next written.
 */
export interface KeyRing {
  readonly currentKeyId: string
  /**
   * AES-256-GCM: `v1.<key id>.<base64url of iv, tag and cipher text>`. `context` says what it is and where it is
   * stored; it is not secret, and `open` needs the same. So nothing sealed can be moved to another place.
   */
  seal(plain: string | Uint8Array, context: string): string
  /** SECRET_UNREADABLE if the key is unknown, or anything was changed. */
  open(sealed: string, context: string): Buffer
  /** False: an older key sealed it. Seal it again at the next write. */
  isCurrent(sealed: string): boolean
  /** HMAC-SHA-256 with a key of its own per purpose, which is a constant. `keyId`: of the stored hash to compare with. */
  mac(
    purpose: string,
    data: string | Uint8Array,
    keyId?: string,
  ): { readonly keyId: string; readonly mac: Buffer }
}

const VERSION = 'v1'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const SEALED = /^v1\.([0-9A-Za-z_-]{1,32})\.([0-9A-Za-z_-]+)$/

export function createKeyRing(keys: readonly SecretKey[]): KeyRing {
  const [current] = keys
  if (current === undefined) throw new Error('a key ring needs a key')
  const byId = new Map(keys.map((key) => [key.id, { ...key, derived: new Map<string, KeyObject>() }]))

  /** A key that is used for one thing cannot be weakened by what another use of it reveals. */
  function keyFor(keyId: string, use: string): KeyObject {
    const ours = byId.get(keyId)
    if (ours === undefined) throw unknownKey(keyId)
    const known = ours.derived.get(use)
    if (known !== undefined) return known
    const bytes = hkdfSync('sha256', ours.key, '', `opentaco ${use}`, KEY_BYTES)
    const key = createSecretKey(Buffer.from(bytes))
    ours.derived.set(use, key)
    return key
  }

  return {
    currentKeyId: current.id,

    seal(plain, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyFor(current.id, 'seal'), iv)
      const header = `${VERSION}.${current.id}.`
      cipher.setAAD(Buffer.from(header + context))
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
      return header + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },

    open(sealed, context) {
      const [, keyId = '', text = ''] = SEALED.exec(sealed) ?? []
      const bytes = Buffer.from(text, 'base64url')
      // The last character has bits that do not count; they may not be changed either.
      if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== text)
        throw changed(keyId, context)
      const iv = bytes.subarray(0, IV_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', keyFor(keyId, 'seal'), iv, {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(`${VERSION}.${keyId}.${context}`))
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
      } catch (cause) {
        throw changed(keyId, context, cause)
      }
    },

    isCurrent: (sealed) => sealed.startsWith(`${VERSION}.${current.id}.`),

    mac(purpose, data, keyId = current.id) {
      const mac = createHmac('sha256', keyFor(keyId, `mac ${purpose}`))
        .update(data)
        .digest()
      return { keyId, mac }
    },
  }
}

function unknownKey(keyId: string): TacoError {
  return new TacoError('SECRET_UNREADABLE', `The secret key ${keyId} is missing, and something needs it.`, {
    facts: { keyId },
    hint: 'Add this key after the current one in TACO_SECRET_KEY, --secret-key-file or --secret-key-command, and restart the server.',
  })
}

function changed(keyId: string, context: string, cause?: unknown): TacoError {
  return new TacoError(
    'SECRET_UNREADABLE',
    `The stored secret "${context}" cannot be opened: it was changed or moved, or another key has the same id.`,
    {
      facts: keyId === '' ? { context } : { keyId, context },
      hint: 'Restore the object from a backup of the bucket, or enter the secret again.',
      cause,
    },
  )
}
