import { createHash, timingSafeEqual } from 'node:crypto'
import { oauthError } from './oauth-error.ts'

/** RFC 7636 with S256 only: `plain` protects nothing that the address bar has not shown already. */
export function checkChallenge(challenge: string | undefined, method: string | undefined): string {
  if (challenge === undefined || method !== 'S256')
    throw oauthError('invalid_request', 'The request lacks a PKCE challenge with the method S256.')
  if (!/^[\w-]{43}$/.test(challenge)) throw oauthError('invalid_request', 'The PKCE challenge is malformed.')
  return challenge
}

export function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const found = createHash('sha256').update(verifier).digest()
  const wanted = Buffer.from(challenge, 'base64url')
  return wanted.length === found.length && timingSafeEqual(wanted, found)
}
