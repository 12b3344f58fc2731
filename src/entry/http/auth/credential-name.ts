import { credentialOf } from './auth.ts'

/** A token, with the id that names its record in front of the secret. */
const TOKEN = /^(taco_[a-z]+_(?:[a-z0-9_-]{1,40}\.)?[0-9A-Za-z]{16})\.[\w-]{43}$/
/** The id of the key that signed a request. */
const SIGNED = /^AWS4-HMAC-SHA256 +Credential=([\w.-]{1,100})\//

/** Whether the header `Authorization` has a credential of a kind that we know. */
export function hasCredential(header: string | undefined): boolean {
  return credentialOf(header) !== undefined || SIGNED.test(header ?? '')
}

/**
 * What may be recorded of the header `Authorization`: which token or key it says it is. Undefined: it does not have the
 * form of one.
 */
export function credentialName(header: string | undefined): string | undefined {
  const credential = credentialOf(header)
  return credential === undefined ? SIGNED.exec(header ?? '')?.[1] : TOKEN.exec(credential)?.[1]
}
