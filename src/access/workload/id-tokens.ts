import type { Claims } from './match.ts'

/** Verifies the tokens by which the platforms of jobs vouch for them. */
export interface IdTokens {
  /**
   * The claims of a token that this issuer signed and that is valid now. Throws UNAUTHENTICATED if it is not. Fetches
   * the keys of the issuer, so it must be one that an administrator has named.
   */
  verify(token: string, issuer: string): Promise<Claims>
}
