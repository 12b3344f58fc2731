import { type RunPrincipal, type RunTokens, isRunToken } from '../../access/index.ts'
import type { Clock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import { type Guard, type GuardWatch, credentialOf, rateLimited, unauthenticated } from './auth.ts'
import { createFailedAttempts } from './failed-attempts.ts'

export interface RunTokenGuardOptions {
  readonly runTokens: Pick<RunTokens, 'check'>
  /** Decides about every other credential. Undefined: none is accepted. */
  readonly otherwise?: Guard
  /** Undefined: looking a token up costs nothing, so nobody is held up by what others send. */
  readonly limit?: { readonly clock: Clock; readonly watch?: GuardWatch }
}

/**
 * Nobody guesses 256 bits, but each try is a request to the bucket. Tries are counted apart from those with the root
 * token: whoever guesses that one holds up no engine, and an engine that outlived its token holds up nobody else.
 */
const LIMIT = { burst: 100, perSecond: 10, callers: 10_000 }

/** Lets run tokens in. What they may do is decided where the target of the request is known. */
export function runTokenGuard({ runTokens, otherwise, limit }: RunTokenGuardOptions): Guard {
  const attempts = limit === undefined ? undefined : createFailedAttempts(limit.clock, LIMIT)
  const watch = limit?.watch

  async function admitRun(token: string, address: string): Promise<RunPrincipal> {
    const waitMs = attempts?.waitMs(address) ?? 0
    if (waitMs > 0) {
      watch?.refused('limited')
      throw rateLimited(waitMs)
    }
    const found = await runTokens.check(token)
    if (found === 'unknown') {
      watch?.refused('wrong')
      if (attempts?.failed(address) === true) watch?.limited(address)
      throw unauthenticated('the run token is wrong, or its run has ended')
    }
    // The secret was right, so this was no guess.
    if (found === 'expired') {
      throw new TacoError('UNAUTHENTICATED', 'the run token has expired', {
        hint: 'Run the command again: `taco exec` and `taco rollout work` get a new token.',
      })
    }
    return found
  }

  return {
    kind: 'token',
    admit(visit) {
      const given = credentialOf(visit.headers.authorization)
      if (given !== undefined && isRunToken(given)) return admitRun(given, visit.address)
      if (otherwise !== undefined) return otherwise.admit(visit)
      throw unauthenticated(given === undefined ? 'the request carries no token' : 'the token is wrong')
    },
  }
}
