import { TacoError } from '../../base/errors.ts'

/** What the token endpoint may answer: RFC 6749 section 5.2, RFC 8628 section 3.5. */
export type OAuthErrorName =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'

/** The name is in `facts.oauth`; neither message nor facts hold a code or a verifier. */
export function oauthError(name: OAuthErrorName, message: string, hint?: string): TacoError {
  return new TacoError('BAD_REQUEST', message, {
    facts: { oauth: name },
    ...(hint === undefined ? {} : { hint }),
  })
}

/** One message for everything that is wrong with a code: which part was wrong would only help someone who guesses. */
export function refusedGrant(): TacoError {
  return oauthError('invalid_grant', 'The code is not valid.', START_AGAIN)
}

export const START_AGAIN = 'Start again from the command line.'
