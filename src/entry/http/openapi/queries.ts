import { z } from 'zod'
import { AccessEventType } from '../../../access/index.ts'
import { RolloutEventType } from '../../../rollouts/index.ts'
import { EventType } from '../../../state/index.ts'

/**
 * What may stand after the question mark. Strict: a parameter that is not known is
 * more often a mistake with consequences (a filter that filters nothing) than a wish that can be left out.
 */
export const NoQuery = z.strictObject({})
export const OrgQuery = z.strictObject({ org: z.string().default('default') })
export const Flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
export const Limit = z.coerce.number().int().min(1).max(1000).default(100)
export const Repeated = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) => (given === undefined ? undefined : typeof given === 'string' ? [given] : given))

export const BackendQuery = z.strictObject({
  ID: z.string().optional().meta({ description: 'Id of the lock that the caller holds.' }),
})
export const BackendLockQuery = BackendQuery.extend({
  run: z.string().min(1).max(200).optional().meta({
    description: 'Stored with the lock, so that the program that started the engine can recognize its lock.',
  }),
})
const Consumer = {
  consumer: z.string().optional().meta({
    description: 'Record the read for this unit. The header X-Taco-Unit does the same.',
  }),
}
export const BackendReadQuery = BackendQuery.extend(Consumer)
export const StateReadQuery = OrgQuery.extend(Consumer)
export const BackendDeleteQuery = BackendQuery.extend({ force: Flag })
export const StateChangeQuery = OrgQuery.extend({ lock: z.string().optional(), force: Flag })
export const StateWriteQuery = StateChangeQuery.extend({
  message: z.string().max(1000).optional(),
  keepSerial: Flag.meta({
    description: 'With force: keep the serial even if the history has a higher one, instead of raising it.',
  }),
})

export const EventsQuery = z.strictObject({
  after: z.string().min(1).optional().meta({
    description:
      'The "next" of an earlier answer with the same order, or its "latest" with order=asc; "now" for only what comes.',
  }),
  order: z.enum(['asc', 'desc']).default('asc').meta({
    description: 'asc: oldest first. desc: newest first, at the price of a few requests to the bucket.',
  }),
  org: z.string().optional(),
  unit: z.string().optional().meta({
    description:
      'Id or name. A name means the unit that has it, or had it when it was deleted; one that no unit has is looked for in the events.',
  }),
  type: Repeated.pipe(
    z
      .array(z.enum([...EventType.options, ...RolloutEventType.options, ...AccessEventType.options]))
      .optional(),
  ).meta({
    description: 'May be repeated.',
  }),
  limit: Limit,
})
