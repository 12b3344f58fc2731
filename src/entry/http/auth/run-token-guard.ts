import { type RunPrincipal, type RunTokens, isRunToken, stranger } from '../../../access/index.ts'
import type { Clock } from '../../../base/clock.ts'
import { TacoError } from '../../../base/errors.ts'
import { type Guard, type GuardWatch, credentialOf, rateLimited, unauthenticated } from './auth.ts'
import { createCarefulLookups } from './careful-lookups.ts'
import { forStranger } from '../kit/response/stranger-error.ts'

export interface RunTokenGuardOptions {
  readonly runTokens: Pick<RunTokens, 'check'>
  /** Decides about every other credential. Undefined: none is accepted. */
  readonly otherwise?: Guard
  /** Undefined: looking a token up costs nothing, so no one is delayed by what others send. */
  readonly limit?: { readonly clock: Clock; readonly watch?: GuardWatch }
}

/**
 * 256 bits cannot be guessed, but each try is a request to the bucket. Tries are counted separately from those with the
 * root token: guessing that one delays no engine, and an engine that outlived its token delays no one else.
 */
const LIMIT = { burst: 100, perSecond: 10, callers: 10_000 }

/** Lets run tokens in. What they may do is decided where the target of the request is known. */
export function runTokenGuard({ runTokens, otherwise, limit }: RunTokenGuardOptions): Guard {
  const lookUp = limit === undefined ? undefined : createCarefulLookups(limit.clock, LIMIT)
  const watch = limit?.watch

  async function check(token: string, address: string): ReturnType<RunTokens['check']> {
    const find = () =>
      runTokens.check(token).catch((error: unknown) => {
        throw forStranger(error)
      })
    if (lookUp === undefined) return find()
    return lookUp(address, {
      find,
      isWrong: (found) => found === 'unknown',
      limited(waitMs) {
        watch?.refused('limited')
        throw rateLimited(waitMs)
      },
      onLimit: () => watch?.limited(address),
    })
  }

  async function identifyRun(token: string, address: string): Promise<RunPrincipal> {
    const found = await check(token, address)
    if (found === 'unknown') {
      watch?.refused('wrong')
      throw unauthenticated('The run token is wrong, or its run has ended.')
    }
    // The secret was right, so this was no guess.
    if (found === 'expired') {
      throw new TacoError('UNAUTHENTICATED', 'The run token has expired.', {
        hint: 'Run the command again: `taco exec` and `taco rollout work` get a new token.',
      })
    }
    return found
  }

  return {
    kind: 'token',
    identify(visit) {
      const given = credentialOf(visit.headers.authorization)
      if (given !== undefined && isRunToken(given)) return identifyRun(given, visit.address)
      if (otherwise !== undefined) return otherwise.identify(visit)
      if (given === undefined) return stranger
      throw unauthenticated('The token is wrong.')
    },
  }
}
