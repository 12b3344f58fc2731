import type { Session, UserPrincipal } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { WebServices, WebSignIn } from '../services.ts'

/** For pages that belong to a person: a server without sign-in has none. */
export function signedIn(
  { principal, session }: Exchange,
  { signIn }: WebServices,
): { readonly person: UserPrincipal; readonly session: Session; readonly signIn: WebSignIn } {
  if (signIn !== undefined && session !== undefined && principal.kind === 'user')
    return { person: principal, session, signIn }
  throw new TacoError('NOT_FOUND', 'You have no account: people do not sign in to this server.', {
    hint: 'See /sign-in for how to change that.',
  })
}
