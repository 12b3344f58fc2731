import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type Principal, openServerUser, rootToken, stranger } from '../../../access/index.ts'
import type { Clock } from '../../../base/clock.ts'
import { TacoError } from '../../../base/errors.ts'
import { type FailedAttempts, createFailedAttempts } from './failed-attempts.ts'
import { hostOf, isLoopback } from './loopback.ts'

export interface Visit {
  readonly headers: IncomingHttpHeaders
  readonly address: string
}

/** Finds out who a request speaks for. What they may do is decided by `authorize`. */
export interface Guard {
  readonly kind: 'none' | 'token' | 'sso'
  /** What everyone who comes this way says of themselves: a claim. */
  readonly claim?: string
  /** Throws for credentials that are wrong. Without one, the caller is a stranger. */
  identify(visit: Visit): Principal | Promise<Principal>
}

export interface TokenGuardOptions {
  /** Or two of them, see `rootTokensIn`. */
  readonly token: string
  /** Whether the root token was switched off. Undefined: it cannot be. */
  readonly isOff?: () => boolean | Promise<boolean>
  readonly clock: Clock
  readonly watch?: GuardWatch
  /** Undefined: those that this guard sees. */
  readonly attempts?: FailedAttempts
}

/** For those who look after a server. */
export interface GuardWatch {
  /** A credential was refused: it was wrong, or it was not looked at because there were too many wrong ones. */
  refused(reason: 'wrong' | 'limited'): void
  /** From now on, credentials from here are not looked at for a while. */
  limited(address: string): void
}

/** Two, separated by a comma, while one replaces the other: both are valid. */
export function rootTokensIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

export function tokenGuard(options: TokenGuardOptions): Guard {
  const expected = rootTokensIn(options.token).map(digest)
  const attempts = options.attempts ?? createFailedAttempts(options.clock)

  /** Undefined: it is the right one. */
  function judged(given: string, address: string): TacoError | undefined {
    // A limited client must not learn whether this was the right token, so it is not compared.
    const waitMs = attempts.waitMs(address)
    if (waitMs > 0) {
      options.watch?.refused('limited')
      return rateLimited(waitMs)
    }
    // Digests have one length, so neither the length nor the place of a difference shows in the time.
    const found = digest(given)
    if (expected.filter((one) => timingSafeEqual(found, one)).length > 0) return undefined
    options.watch?.refused('wrong')
    if (attempts.failed(address)) options.watch?.limited(address)
    return unauthenticated('The token is wrong.')
  }

  return {
    kind: 'token',
    identify({ headers, address }) {
      const given = credentialOf(headers.authorization)
      if (given === undefined) return stranger
      const refusal = judged(given, address)
      if (refusal !== undefined) throw refusal
      const isOff = options.isOff?.() ?? false
      return isOff instanceof Promise ? isOff.then(rootUnless) : rootUnless(isOff)
    },
  }
}

export function rootUnless(isOff: boolean): Principal {
  if (!isOff) return rootToken
  throw new TacoError('UNAUTHENTICATED', 'The root token is switched off.', {
    hint: 'Sign in with `taco login`. An administrator of the server can switch it on again.',
  })
}

export function rateLimited(waitMs: number): TacoError {
  return new TacoError('RATE_LIMITED', 'This address sent too many wrong tokens.', {
    hint: 'Correct the token. Try again after the time in Retry-After.',
    facts: { retryAfterMs: waitMs },
  })
}

export function unauthenticated(message: string): TacoError {
  return new TacoError('UNAUTHENTICATED', message, {
    hint: 'Send the token as "Authorization: Bearer <token>", or as the password of HTTP Basic.',
  })
}

export interface OpenGuardOptions {
  /** True: the server is configured to listen beyond loopback, so any host name may be its own. */
  readonly isAnyHostAllowed?: boolean
}

/**
 * For `--auth none`. Any page in a browser on this machine can send requests to a loopback port, so those that name
 * another host (DNS rebinding) are refused. Those from another origin are refused before, whatever the guard.
 */
export function openGuard(options: OpenGuardOptions = {}): Guard {
  // Clients send the same name again and again; looking at it costs more than the rest of the admission.
  let lastGoodHost: string | undefined
  return {
    kind: 'none',
    identify({ headers }) {
      const { host } = headers
      if (options.isAnyHostAllowed !== true && (host === undefined || host !== lastGoodHost)) checkHost(host)
      lastGoodHost = host
      return openServerUser
    },
  }
}

/** For a server that nothing but this process can reach. `claim`: the person, as the operating system says. */
export function trustingGuard(claim: string): Guard {
  return { kind: 'none', claim, identify: () => openServerUser }
}

function checkHost(host: string | undefined): void {
  const name = hostOf(host ?? '')
  if (name !== undefined && isLoopback(name)) return
  throw new TacoError('FORBIDDEN', 'Without authentication, the server only answers requests to localhost.', {
    facts: { field: 'Host' },
    hint: 'Address the server as localhost or 127.0.0.1, or start it with --auth token.',
  })
}

export function credentialOf(header: string | undefined): string | undefined {
  const match = header === undefined ? null : /^(bearer|basic) +(\S+) *$/i.exec(header)
  if (match === null) return undefined
  const value = String(match[2])
  if (match[1]?.toLowerCase() === 'bearer') return value
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon === -1 ? undefined : text.slice(colon + 1)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
