import { badRequest } from '../../../base/errors.ts'
import type { UnitRef } from '../../../state/index.ts'

/**
 * The unit on whose behalf somebody reads: `?consumer=<unit>` or the header `X-Taco-Unit`. A unit that reads its own
 * state consumes nothing.
 */
export function consumerOf(
  query: string | undefined,
  header: string | undefined,
  ref: UnitRef,
): { readonly consumer?: string } {
  const consumer = (query ?? header)?.replaceAll('--', '/')
  if (consumer === undefined || consumer === '' || consumer === ref.unit) return {}
  if (query !== undefined && header !== undefined && header.replaceAll('--', '/') !== consumer)
    throw badRequest('consumer', `the address says ${consumer} reads, the header X-Taco-Unit says ${header}`)
  return { consumer }
}
