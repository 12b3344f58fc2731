import { type RunPrincipal, type RunTokens, isRunToken, stranger } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import { type Guard, credentialOf, unauthenticated } from './auth.ts'
import { type LookupLimit, createLimitedLookup } from './limited-lookup.ts'

export interface RunTokenGuardOptions {
  readonly runTokens: Pick<RunTokens, 'check'>
  /** Decides about every other credential. Undefined: none is accepted. */
  readonly otherwise?: Guard
  readonly limit?: LookupLimit
}

/** Lets run tokens in. What they may do is decided where the target of the request is known. */
export function runTokenGuard({ runTokens, otherwise, limit }: RunTokenGuardOptions): Guard {
  const lookUp = createLimitedLookup(limit)

  async function identifyRun(token: string, address: string): Promise<RunPrincipal> {
    const found = await lookUp(
      address,
      () => runTokens.check(token),
      (one) => one === 'unknown',
    )
    if (found === 'unknown') throw unauthenticated('The run token is wrong, or its run has ended.')
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
