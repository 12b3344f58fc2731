import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Principal, SessionCookie } from '../../../../access/index.ts'
import type { Clock } from '../../../../base/clock.ts'
import { type Guard, rootTokensIn, unauthenticated } from '../../auth/auth.ts'

const SESSION_MS = 12 * 3_600_000

/** Sign-in with the root token, on servers to which people do not sign in by themselves (`--auth token`). */
export interface RootSessions {
  /** Throws for a token that is wrong, and for too many of them. */
  begin(token: string, address: string): Promise<SessionCookie>
  /** Undefined: the session is over, or the root token has been replaced. */
  open(cookie: string, address: string): Principal | Promise<Principal> | undefined
  /** Without a session: who the request itself speaks for. */
  readonly identify: Guard['identify']
}

/**
 * The cookie holds when it ends, signed with the root token: nothing is stored, it works on every server with that
 * token, and it ends when the token is replaced. The token itself cannot be found out from it.
 */
export function createRootSessions(
  rootTokens: string,
  guard: Pick<Guard, 'identify'>,
  clock: Pick<Clock, 'now'>,
): RootSessions {
  const tokens = rootTokensIn(rootTokens)
  const asRoot = (token: string, address: string) =>
    guard.identify({ headers: { authorization: `Bearer ${token}` }, address })

  return {
    identify: (visit) => guard.identify(visit),
    async begin(given, address) {
      const token = given.trim()
      // A header cannot carry others, so they are wrong ones.
      if (!/^[\x21-\x7e]+$/.test(token)) throw unauthenticated('The token is wrong.')
      const principal = await asRoot(token, address)
      if (!isRoot(principal)) throw unauthenticated('This is not the root token.')
      const endsAt = clock.now() + SESSION_MS
      return { value: `${endsAt}.${signed(token, endsAt)}`, maxAgeSeconds: SESSION_MS / 1000 }
    },
    open(cookie, address) {
      const [, end = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(cookie) ?? []
      const endsAt = Number(end)
      if (end === '' || endsAt <= clock.now()) return undefined
      const given = Buffer.from(signature)
      const token = tokens.find((one) => timingSafeEqual(Buffer.from(signed(one, endsAt)), given))
      return token === undefined ? undefined : asRoot(token, address)
    },
  }
}

function isRoot(principal: Principal): boolean {
  return principal.kind === 'token' && principal.use === 'root'
}

function signed(token: string, endsAt: number): string {
  return createHmac('sha256', token).update(`opentaco page session until ${endsAt}`).digest('base64url')
}
