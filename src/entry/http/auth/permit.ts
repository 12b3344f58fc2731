import { type Action, type Principal, type Resource, authorize } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import { unauthenticated } from './auth.ts'

/** The resource as the caller may act on it. Throws if it may not. The only place of this face that asks. */
export function permit<R extends Resource>(principal: Principal, action: Action, resource: R): R {
  const decision = authorize(principal, action, resource)
  if (decision.allowed) return decision.resource
  if (decision.reason === 'unauthenticated') throw unauthenticated('The request carries no token.')
  throw forbidden(principal, action, resource)
}

/** A run token opens the routes that are for it, and no others, whatever it may do there. */
export function refuseRunToken(
  principal: Principal,
  { takesRunTokens }: { readonly takesRunTokens?: boolean | undefined },
): void {
  if (principal.kind === 'run' && takesRunTokens !== true) throw forbidden(principal)
}

function forbidden(principal: Principal, action?: Action, { unit }: Resource = {}): TacoError {
  if (principal.kind !== 'run')
    return new TacoError('FORBIDDEN', 'You do not have permission to do this.', {
      hint: 'Use the root token, or ask an administrator of the server.',
    })
  const own = principal.scope.unit.name
  // A read on behalf of another unit would be recorded with that unit.
  if (action === 'reads:record')
    return new TacoError('FORBIDDEN', `A run of ${own} cannot read on behalf of ${unit}.`, {
      facts: { field: 'consumer' },
      hint: `Name ${own} as the consumer, or leave it out.`,
    })
  return new TacoError(
    'FORBIDDEN',
    `This run token only allows writing the state of ${own} and reading the states of its organization.`,
    { hint: 'Use another token for anything else.' },
  )
}
