import type { SignInServices } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'

/** People, their tokens and providers exist only where people can sign in. */
export function signInOf({ signIn }: { readonly signIn: SignInServices | undefined }): SignInServices {
  if (signIn !== undefined) return signIn
  throw new TacoError('FORBIDDEN', 'People cannot sign in to this server.', {
    facts: { auth: 'sso' },
    hint: 'Start it with --auth sso.',
  })
}
