import { type Principal, type TokenRefusal, type Tokens, isToken } from '../../../access/index.ts'
import { isoTime } from '../../../base/clock.ts'
import { TacoError } from '../../../base/errors.ts'
import { type Guard, credentialOf, unauthenticated } from './auth.ts'
import { type LookupLimit, createLimitedLookup } from './limited-lookup.ts'

/**
 * Lets in the bearers of personal, team, organization, agent and workload tokens. `otherwise` decides about every other
 * credential.
 */
export function accessTokenGuard(options: {
  readonly tokens: Pick<Tokens, 'recent' | 'check'>
  readonly otherwise: Guard
  readonly limit?: LookupLimit
}): Guard {
  const { tokens, otherwise } = options
  const lookUp = createLimitedLookup(options.limit)

  async function identifyBearer(token: string, address: string): Promise<Principal> {
    const found = await lookUp(
      address,
      () => tokens.check(token),
      (one) => one.kind === 'unknown',
    )
    if (isRefusal(found)) throw refused(found)
    return found
  }

  return {
    ...otherwise,
    identify(visit) {
      const given = credentialOf(visit.headers.authorization)
      if (given === undefined || !isToken(given)) return otherwise.identify(visit)
      return tokens.recent(given) ?? identifyBearer(given, visit.address)
    },
  }
}

export function isRefusal(found: Principal | TokenRefusal): found is TokenRefusal {
  return found.kind !== 'user' && found.kind !== 'team' && found.kind !== 'token'
}

export function refused(refusal: TokenRefusal): TacoError {
  if (refusal.kind === 'unknown') return unauthenticated('The token is wrong, or it was removed.')
  return new TacoError('UNAUTHENTICATED', reasonOf(refusal), {
    hint: 'Create a new token, or sign in again with `taco login`.',
  })
}

function reasonOf(refusal: TokenRefusal): string {
  switch (refusal.kind) {
    case 'expired':
      return 'The token has expired.'
    case 'revoked':
      return `The token was revoked by ${refusal.by} at ${isoTime(refusal.at)}.`
    case 'inactive-owner':
      return 'The token belongs to a person or a team that is suspended or was removed.'
    default:
      return 'The token was made with a secret key that the server no longer has.'
  }
}
