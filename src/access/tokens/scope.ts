import { z } from 'zod'
import { openObject } from '../../bucket/index.ts'

/** As stored: `TokenScope` of principals. What is left out is not narrowed. */
export const TokenScope = openObject({
  actions: z.array(z.string()).optional(),
  units: z.array(z.string()).optional(),
})
