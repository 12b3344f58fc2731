import { z } from 'zod'
import { TacoError, badRequest } from '../../base/errors.ts'
import { openObject } from '../../bucket/index.ts'
import { checkActions, checkPatterns } from '../policy/check-role.ts'
import type { Principal, TokenScope as Scope } from '../principal.ts'

/** As stored: `TokenScope` of principals. What is left out is not narrowed. */
export const TokenScope = openObject({
  actions: z.array(z.string()).optional(),
  units: z.array(z.string()).optional(),
})

const MOST_PATTERNS = 100

/** Throws if a pattern is malformed, or matches nothing that there is. */
export function checkScope({ actions, units }: Scope): void {
  for (const [field, patterns] of Object.entries({ actions, units }))
    if ((patterns?.length ?? 0) > MOST_PATTERNS)
      throw badRequest(field, `A token has at most ${MOST_PATTERNS} patterns of ${field}.`)
  checkActions('actions', actions)
  checkPatterns('units', units)
}

/** The new token would not be bound by the scope of the old one. */
export function refuseScoped(principal: Principal): void {
  if (principal.kind === 'run' || !('scope' in principal) || principal.scope === undefined) return
  throw new TacoError('FORBIDDEN', 'A token with a scope cannot create tokens.', {
    hint: 'Sign in with `taco login`, or use a token without a scope.',
  })
}
