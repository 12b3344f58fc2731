import type { RunTokens, SignInServices } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { badRequest } from '../base/errors.ts'
import {
  type FailedAttempts,
  type Guard,
  type GuardWatch,
  accessTokenGuard,
  isLoopback,
  openGuard,
  runTokenGuard,
  tokenGuard,
} from '../entry/http/index.ts'
import type { ServeOptions } from './serve-options.ts'

/** What tells tokens apart. */
interface GuardServices {
  readonly runTokens: RunTokens
  readonly signIn: SignInServices | undefined
}

/** Refuses what is missing before the bucket is opened. */
export function guardOf(
  options: Pick<ServeOptions, 'auth' | 'rootToken'>,
  host: string,
  attempts?: FailedAttempts,
): (services: GuardServices, watch: GuardWatch) => Guard {
  const { auth, rootToken: token } = options
  if (auth === 'none') return () => openGuard({ isAnyHostAllowed: !isLoopback(host) })
  if (auth === 'token' && token === undefined)
    throw badRequest(
      'rootToken',
      'The root token is missing.',
      'Set TACO_ROOT_TOKEN or --token-file, for example to the output of `openssl rand -hex 32`.',
    )
  const clock = systemClock
  return ({ runTokens, signIn }, watch) => {
    const limit = { clock, watch }
    const root =
      token === undefined
        ? {}
        : { otherwise: tokenGuard({ token, clock, watch, ...(attempts === undefined ? {} : { attempts }) }) }
    const plain = runTokenGuard({ runTokens, ...root, limit })
    if (signIn === undefined) return plain
    return accessTokenGuard({ tokens: signIn.tokens, otherwise: { ...plain, kind: 'sso' }, limit })
  }
}
