import { type RunAction, type RunScope, isOwn, permitted } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import type { UnitRef } from '../../../state/index.ts'

/** What a run token may do on the http backend. No engine deletes a state, so neither does a run token. */
const ACTION_OF: Readonly<Record<string, RunAction>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  LOCK: 'write',
  UNLOCK: 'write',
}

/** The target as the bearer of a run token may act on it; FORBIDDEN if it may not. */
export function backendTargetFor(scope: RunScope, method: string, target: UnitRef): UnitRef {
  const action = ACTION_OF[method]
  const own = action === undefined ? undefined : permitted(scope, action, target)
  if (own === undefined) throw outOfScope(scope)
  return own
}

/** A read on behalf of another unit would be recorded with that unit. */
export function checkConsumer(scope: RunScope, consumer: string): void {
  if (isOwn(scope, consumer)) return
  throw new TacoError('FORBIDDEN', `a run of ${scope.unit.name} cannot read on behalf of ${consumer}`, {
    facts: { field: 'consumer' },
    hint: `Name ${scope.unit.name} as the consumer, or leave it out.`,
  })
}

export function outOfScope({ unit }: RunScope): TacoError {
  return new TacoError(
    'FORBIDDEN',
    `this run token only grants writing the state of ${unit.name} and reading the states of its organization`,
    { hint: 'Use a token of your own for anything else.' },
  )
}
