import { type Caller, type Principal, type SessionCookie, stranger } from '../../../access/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import type { Cookies } from '../kit/cookies.ts'
import type { Exchange } from '../kit/exchange.ts'
import { ASSETS_PREFIX } from './asset-folder.ts'
import type { WebServices, WebSignIn } from './services.ts'
import type { RootSessions } from './sign-in/root-sessions.ts'

const COOKIE = 'taco'

/**
 * Pages accept the cookie of a session and nothing else; no other face accepts it. A session that is over leaves the
 * browser without one.
 */
export function identifyBySession({ cookies, lastPages }: WebServices, { sessions }: WebSignIn) {
  return (x: Exchange): Principal | Promise<Principal> => {
    // What anyone may keep must not come with a cookie.
    const cookie = x.path.startsWith(ASSETS_PREFIX) ? undefined : cookies.read(x.req.headers, COOKIE)
    if (cookie === undefined) return stranger
    return sessions.open(cookie, visitOf(x), ownCaller(x)).then((open) => {
      if (open === undefined) {
        const over = sessions.peek(cookie)
        if (over !== undefined) lastPages.forget(over.id)
        cookies.clear(x, COOKIE)
        return stranger
      }
      if (open.cookie !== undefined) setSessionCookie(x, cookies, open.cookie)
      x.session = open.session
      return open.principal
    })
  }
}

/** On a server with a root token only: its cookie, or the token itself as programs send it. */
export function identifyByRoot({ cookies }: WebServices, rootSessions: RootSessions) {
  return (x: Exchange): Principal | Promise<Principal> => {
    const cookie = x.path.startsWith(ASSETS_PREFIX) ? undefined : cookies.read(x.req.headers, COOKIE)
    const principal = cookie === undefined ? undefined : rootSessions.open(cookie, x.address)
    if (principal !== undefined) return principal
    if (cookie !== undefined) cookies.clear(x, COOKIE)
    return rootSessions.identify({ headers: x.req.headers, address: x.address })
  }
}

/**
 * On a server to which people sign in: the cookie of the root token, with which a person sets up the first sign-in
 * provider, or else that of a session.
 */
export function identifyByRootOr(
  { cookies }: WebServices,
  rootSessions: RootSessions,
  bySession: ReturnType<typeof identifyBySession>,
) {
  return async (x: Exchange): Promise<Principal> => {
    const cookie = x.path.startsWith(ASSETS_PREFIX) ? undefined : cookies.read(x.req.headers, COOKIE)
    try {
      const root = cookie === undefined ? undefined : await rootSessions.open(cookie, x.address)
      return root ?? (await bySession(x))
    } catch (error) {
      // The root token was switched off.
      if (!isTacoError(error, 'UNAUTHENTICATED')) throw error
      cookies.clear(x, COOKIE)
      return stranger
    }
  }
}

/** For what is done before it is known who calls. */
export function ownCaller(x: Exchange): Caller {
  return { ...x.caller, principal: { kind: 'system', name: 'opentaco' } }
}

/** What the person's document remembers of the browser. */
export function visitOf(x: Exchange) {
  return { userAgent: x.req.headers['user-agent'], address: x.address }
}

export function setSessionCookie(
  x: Exchange,
  cookies: Cookies,
  { value, maxAgeSeconds }: SessionCookie,
): void {
  cookies.set(x, COOKIE, value, { maxAgeSeconds })
}

export function sessionCookieOf(x: Exchange, cookies: Cookies): string | undefined {
  return cookies.read(x.req.headers, COOKIE)
}

export function clearSessionCookie(x: Exchange, cookies: Cookies): void {
  cookies.clear(x, COOKIE)
}
