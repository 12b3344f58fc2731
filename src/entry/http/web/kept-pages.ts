import { principalText } from '../../../access/index.ts'
import { TacoError, isTacoError } from '../../../base/errors.ts'
import type { Exchange } from '../kit/exchange.ts'
import type { LastPage } from './last-pages.ts'
import type { WebServices } from './services.ts'
import { sessionCookieOf } from './session-cookie.ts'
import { hasFlash } from './shell/flash.ts'
import { isStranger } from './shell/stranger.ts'

/** What to show instead of an error. Undefined: the error. */
export function pageInstead(error: unknown, x: Exchange, services: WebServices): LastPage | undefined {
  if (!isTacoError(error, 'BUCKET_UNAVAILABLE', 'BUCKET_REFUSED')) return undefined
  // If it was not asked, nothing new is known of it.
  if (error.facts['isKept'] !== true) services.lastPages.noteDown(performance.now() - x.startedAt)
  return lastPageOf(x, services)
}

/**
 * Whose page it is. While the bucket does not answer, the server cannot tell whether a session was ended; that it was a
 * session, and whose, its cookie says.
 */
function pageOwner(x: Exchange, { signIn, cookies }: WebServices): string | undefined {
  if (signIn === undefined) return isStranger(x.principal) ? undefined : principalText(x.principal)
  if (x.session !== undefined) return x.session.id
  const cookie = sessionCookieOf(x, cookies)
  return cookie === undefined ? undefined : signIn.sessions.peek(cookie)?.id
}

/** What was last shown at this address to this browser. */
function lastPageOf(x: Exchange, services: WebServices): LastPage | undefined {
  if (x.method !== 'GET' || x.req.headers['hx-request'] === 'true') return undefined
  const owner = pageOwner(x, services)
  return owner === undefined ? undefined : services.lastPages.find(owner, addressOf(x))
}

export function keepPage(x: Exchange, services: WebServices, html: string): void {
  const { lastPages, cookies } = services
  const owner = pageOwner(x, services)
  // What a form did is said once.
  const isPassing = x.req.headers['hx-request'] === 'true' || hasFlash(x, cookies)
  if (owner !== undefined && !isPassing) lastPages.keep(owner, addressOf(x), html)
}

/** What was shown before and is refused now: their rights may be others, so nothing of what they saw is kept. */
export function forgetRefused(x: Exchange, services: WebServices): void {
  const owner = pageOwner(x, services)
  if (owner !== undefined && lastPageOf(x, services) !== undefined) services.lastPages.forget(owner)
}

/** The bucket did not answer a moment ago: rather than wait once more, show what is kept. */
export function refuseWhileDown(x: Exchange, services: WebServices): void {
  if (services.lastPages.isDown() && lastPageOf(x, services) !== undefined)
    throw new TacoError('BUCKET_UNAVAILABLE', 'The bucket does not answer.', { facts: { isKept: true } })
}

const addressOf = ({ path, query }: Exchange) => `${path}?${query}`
