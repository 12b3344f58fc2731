import { type Action, type Principal, authorize } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import type { UnitRef } from '../../../state/index.ts'

/** Of the http backend's methods. UNLOCK breaks the lock of somebody else where it names none. */
const ACTION_OF: Readonly<Record<string, Action>> = {
  GET: 'state:read',
  HEAD: 'state:read',
  POST: 'state:write',
  PUT: 'state:write',
  DELETE: 'state:delete',
  LOCK: 'lock',
  UNLOCK: 'unlock-others',
}

/** The target as the caller may act on it; FORBIDDEN if it may not. */
export function backendTargetFor(principal: Principal, method: string, target: UnitRef): UnitRef {
  const action = ACTION_OF[method]
  const decision = action === undefined ? undefined : authorize(principal, action, target)
  if (decision?.allowed !== true) throw forbidden(principal)
  return decision.resource
}

/** A read on behalf of another unit would be recorded with that unit. */
export function checkConsumer(principal: Principal, org: string, consumer: string): void {
  if (authorize(principal, 'reads:record', { org, unit: consumer }).allowed) return
  if (principal.kind !== 'run') throw forbidden(principal)
  const own = principal.scope.unit.name
  throw new TacoError('FORBIDDEN', `a run of ${own} cannot read on behalf of ${consumer}`, {
    facts: { field: 'consumer' },
    hint: `Name ${own} as the consumer, or leave it out.`,
  })
}

export function forbidden(principal: Principal): TacoError {
  if (principal.kind !== 'run')
    return new TacoError('FORBIDDEN', 'the caller may not do this', {
      hint: 'Use the root token, or ask an administrator of the server.',
    })
  return new TacoError(
    'FORBIDDEN',
    `this run token only grants writing the state of ${principal.scope.unit.name} and reading the states of its organization`,
    { hint: 'Use a token of your own for anything else.' },
  )
}
