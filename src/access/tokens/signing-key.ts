import { createHmac } from 'node:crypto'
import type { KeyRing } from '../secrets/key-ring.ts'

/** A pair of keys as S3 clients use them. */
export interface SigningKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/**
 * `<id of the token>.<id of the secret key>`. Nothing is stored: the secret is derived from the id of the token, so it
 * has the rights of the token and ends with it.
 */
const ACCESS_KEY_ID = /^((?:at|wl)-[0-9A-Za-z]{16})\.([0-9A-Za-z_-]{1,32})$/
const PURPOSE = 's3 signing key'
const ROOT = 'root'

export function readAccessKeyId(text: string): { readonly id: string; readonly keyId: string } | undefined {
  const [, id, keyId] = ACCESS_KEY_ID.exec(text) ?? []
  return id === undefined || keyId === undefined ? undefined : { id, keyId }
}

export function signingKeyOf(ring: Pick<KeyRing, 'mac' | 'currentKeyId'>, id: string): SigningKey {
  return {
    accessKeyId: `${id}.${ring.currentKeyId}`,
    secretAccessKey: signingSecret(ring, id, ring.currentKeyId),
  }
}

/** Throws SECRET_UNREADABLE if the ring does not have the key. */
export function signingSecret(ring: Pick<KeyRing, 'mac'>, id: string, keyId: string | undefined): string {
  return secretText(ring.mac(PURPOSE, id, keyId).mac)
}

/** The server knows the root token itself, and needs no key ring for it. */
export function rootSigningKey(token: string): SigningKey {
  const mac = createHmac('sha256', token).update(`opentaco ${PURPOSE}`).digest()
  return { accessKeyId: ROOT, secretAccessKey: secretText(mac) }
}

/** Recognisable for secret scanners. */
function secretText(mac: Buffer): string {
  return `taco_s3_${mac.toString('base64url')}`
}
