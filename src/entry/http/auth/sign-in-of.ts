import { TacoError } from '../../../base/errors.ts'

/** People, their tokens and providers exist only where people can sign in. */
export function signInOf<S>({ signIn }: { readonly signIn?: S | undefined }): S {
  if (signIn !== undefined) return signIn
  throw new TacoError('FORBIDDEN', 'People cannot sign in to this server.', {
    facts: { auth: 'sso' },
    hint: 'Start it with --auth sso.',
  })
}
