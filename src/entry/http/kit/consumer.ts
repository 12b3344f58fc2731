import type { IncomingHttpHeaders } from 'node:http'
import { TacoError, badRequest, isTacoError, reasonOf } from '../../../base/errors.ts'
import { type UnitRef, nameFromFlat } from '../../../state/index.ts'
import type { Demand } from './routes/route.ts'

/**
 * The unit on whose behalf a request reads: `?consumer=<unit>` or the header `X-Taco-Unit`. A unit that reads its own
 * state consumes nothing.
 */
export function consumerOf(
  query: string | undefined,
  headers: IncomingHttpHeaders,
  ref: UnitRef,
): string | undefined {
  const header = headers['x-taco-unit']?.toString()
  const asked = query ?? header
  if (asked === undefined || asked === '') return undefined
  const consumer = nameFromFlat(asked)
  if (consumer === ref.unit) return undefined
  if (query !== undefined && header !== undefined && nameFromFlat(header) !== consumer)
    throw badRequest(
      'consumer',
      `The address names ${consumer} as the consumer, the header X-Taco-Unit names ${header}.`,
    )
  return consumer
}

/** The read is recorded with that unit. */
export function recordDemand(consumer: string | undefined, { org }: UnitRef): readonly Demand[] {
  return consumer === undefined ? [] : [{ action: 'reads:record', resource: { org, unit: consumer } }]
}

/** The state itself is `undefined` when it is not there, and a 404 would tell the CLIs just that. */
export function consumerNotFound(error: unknown): never {
  if (!isTacoError(error, 'NOT_FOUND')) throw error
  throw new TacoError('BAD_REQUEST', `The consumer does not exist: ${reasonOf(error)}.`, {
    facts: { field: 'consumer' },
    hint: 'The first lock creates the unit. So does `taco unit create`.',
    cause: error,
  })
}
