import { z } from 'zod'
import type { TfcServices } from '../kit/define.ts'

export const tags = ['terraform cloud']
export const SetParams = z.object({ set: z.string() })

/** A policy set, by its id. */
export function ofSet(
  { params }: { readonly params: z.infer<typeof SetParams> },
  { locator, governance }: Pick<TfcServices, 'locator' | 'governance'>,
) {
  return locator.record(governance.policySets, params.set)
}
