import {
  type Access,
  type Action,
  type Denial,
  type Principal,
  type Resource,
} from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import { noSuchOrg, noSuchUnit } from '../../../state/index.ts'
import { unauthenticated } from './auth.ts'

export interface PermitOptions {
  /** The route shows or changes only what the caller may see: a right on some units is enough. */
  readonly isFiltered?: boolean | undefined
  /** The unit of the resource is a name that a unit is about to get. */
  readonly isNewName?: boolean | undefined
  /** To engines, 404 means that there is no state yet, so what is hidden is refused in other words. */
  readonly isForEngines?: boolean | undefined
  readonly onDenied?: () => void
}

/** The resource as the caller may act on it. Throws if it may not. The only place that asks. */
export type Permit = <R extends Resource>(
  principal: Principal,
  action: Action,
  resource: R,
  options?: PermitOptions,
) => R | Promise<R>

export function createPermit(access: Pick<Access, 'decide'>): Permit {
  return (principal, action, resource, options = {}) => {
    type Decided = Awaited<ReturnType<typeof access.decide<typeof resource>>>
    const take = (decision: Decided) => {
      if (decision.allowed) return decision.resource
      if (decision.reason !== 'unauthenticated') options.onDenied?.()
      throw refusal(decision.reason, { principal, action, resource, ...options })
    }
    const decided = access.decide(principal, action, resource, options)
    return decided instanceof Promise ? decided.then(take) : take(decided)
  }
}

interface Refused extends PermitOptions {
  readonly principal: Principal
  readonly action: Action
  readonly resource: Resource
}

function refusal(reason: Denial, { principal, action, resource, isForEngines }: Refused): TacoError {
  const { org, unit } = resource
  switch (reason) {
    case 'unauthenticated':
      return unauthenticated('The request carries no token.')
    case 'hidden':
      if (isForEngines === true || org === undefined)
        return new TacoError(
          'FORBIDDEN',
          `You have no permission for ${unit ?? 'this'} in the organization ${org}.`,
          {
            facts: { action },
            hint: 'Check the name. If it is right, ask an administrator of the organization.',
          },
        )
      return unit === undefined ? noSuchOrg(org) : noSuchUnit({ org, unit })
    case 'guarded':
      return new TacoError('FORBIDDEN', guardedText(action, unit), {
        facts: { action, unit, isGuarded: true },
        hint: 'Start a rollout or a run. In an emergency: `taco guard break <unit> --reason <why>`.',
      })
    case 'token-scope':
      return new TacoError('FORBIDDEN', `The scope of this token does not include ${action}${on(unit)}.`, {
        facts: { action },
        hint: 'Use another token, or create one with a wider scope.',
      })
    default:
      return forbidden(principal, action, resource)
  }
}

function guardedText(action: Action, unit: string | undefined): string {
  return action === 'unit:rename'
    ? `The unit ${unit} is guarded, so it cannot be renamed: guards go by names.`
    : `Only runs may change the state of ${unit}: the unit is guarded.`
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
    return new TacoError('FORBIDDEN', `You have no permission for ${action}${on(unit)}.`, {
      facts: { action },
      hint: 'Ask an administrator of the organization. `taco access explain` says which rules decide.',
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
    `This run token only allows writing the state of ${own} and reading the states that its caller may read.`,
    { hint: 'Use another token for anything else.' },
  )
}

function on(unit: string | undefined): string {
  return unit === undefined ? '' : ` on ${unit}`
}
