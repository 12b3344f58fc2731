import { z } from 'zod'
import type { GrantPerson, OAuth } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import { unauthenticated } from '../../auth/auth.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { WebServices } from '../services.ts'

/** What the program calls the computer it runs on. It is shown, so it is a plain name or nothing. */
export const MachineName = z
  .string()
  .regex(/^[\w.-]{1,64}$/)
  .optional()
  .catch(undefined)

/** The answer to the question. */
export const Answer = z.enum(['allow', 'deny'])

/** Only a person in a browser can give a program a token: a token cannot make further ones this way. */
export function personOf(x: Exchange): GrantPerson {
  const { principal, session } = x
  if (principal.kind === 'user' && session !== undefined)
    return { id: principal.id, name: principal.name, session: session.id }
  throw unauthenticated('Only a person who has signed in can do this.')
}

export function oauthOf({ oauth, auth }: WebServices): OAuth {
  if (oauth !== undefined) return oauth
  throw new TacoError('NOT_FOUND', 'People cannot sign in to this server.', {
    hint: `It runs with --auth ${auth}. Start it with --auth sso.`,
  })
}
