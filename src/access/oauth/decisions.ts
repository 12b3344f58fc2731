import type { CodeDocument, DeviceDocument, Grant, GrantPerson } from './grant-documents.ts'
import { START_AGAIN, oauthError, refusedGrant } from './oauth-error.ts'
import { isVerifierOf } from './pkce.ts'

/** How long a code may be on its way from the browser to the program. */
export const CODE_MS = 60_000
/** How long a person has to find a browser and type the user code. */
export const DEVICE_MS = 600_000
export const POLL_EVERY_MS = 5_000
/** Requests that were sent in time may arrive closer together. */
const POLL_SLACK_MS = 1_000

/** Throws unless the one who presents the code is the one who asked for it. */
export function checkCode(
  code: CodeDocument,
  given: { readonly client: string; readonly redirectUri: string; readonly verifier: string },
): void {
  const isOwn = code.client === given.client && code.redirectUri === given.redirectUri
  if (!isOwn || !isVerifierOf(code.challenge, given.verifier)) throw refusedGrant()
}

/** Of a grant that was presented. `replayed`: not for the first time, so whatever token it gave must go. */
export type Outcome =
  | { readonly kind: 'redeemed' | 'replayed'; readonly person: GrantPerson }
  | { readonly kind: 'authorization_pending' | 'slow_down' }

interface Judged<G> {
  readonly value: G
  readonly answer: Outcome
}

/** Makes a grant unusable. */
export function redeem<G extends Grant>(grant: G, person: GrantPerson, now: number): Judged<G> {
  if (grant.redeemedAt !== undefined)
    return { value: { ...grant, isReplayed: true }, answer: { kind: 'replayed', person } }
  if (now >= grant.expiresAt) throw refusedGrant()
  return { value: { ...grant, redeemedAt: now }, answer: { kind: 'redeemed', person } }
}

/** What a device that asks gets. The question itself is noted. */
export function poll(device: DeviceDocument, client: string, now: number): Judged<DeviceDocument> {
  if (device.client !== client) throw refusedGrant()
  const { decision, redeemedAt, intervalMs, polledAt } = device
  if (redeemedAt === undefined && now >= device.expiresAt)
    throw oauthError('expired_token', 'The device code has expired.', START_AGAIN)
  if (decision?.isAllowed === false)
    throw oauthError('access_denied', 'The request was denied in the browser.', START_AGAIN)
  if (decision !== undefined) return redeem(device, decision.person, now)
  const isEarly = polledAt !== undefined && now - polledAt < intervalMs - POLL_SLACK_MS
  return {
    value: { ...device, polledAt: now, intervalMs: isEarly ? intervalMs + POLL_EVERY_MS : intervalMs },
    answer: { kind: isEarly ? 'slow_down' : 'authorization_pending' },
  }
}
