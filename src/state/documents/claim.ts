import { z } from 'zod'
import { type DocumentFormat, formatFields, openObject } from '../../bucket/index.ts'

/** Claims a unit's name or a state's key, and says enough to finish a creation that crashed half way. */
export const Claim = openObject({
  ...formatFields(1),
  id: z.string(),
  org: z.string(),
  name: z.string(),
  key: z.string(),
  at: z.number(),
  by: z.string(),
  /** What the caller says of itself: not verified. */
  who: z.string().optional(),
  /** Of the request that makes the unit, if it carried an Idempotency-Key. */
  request: z.string().optional(),
})
export type Claim = z.infer<typeof Claim>

export const claimFormat: DocumentFormat<Claim> = { schema: Claim, major: 1, minor: 0 }
