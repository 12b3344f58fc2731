import { z } from 'zod'
import { EventRetention, Retention, nameFromFlat } from '../../../state/index.ts'
import { Problem } from '../kit/response/problem.ts'

export const UnitParams = z.object({
  unit: z.string().transform(nameFromFlat).meta({
    description: 'The unit: its name with "/" written "--" (or %2F), or its id.',
    example: 'prod--network--vpc',
  }),
})
export const IfMatch = z.object({
  'if-match': z.string().optional().meta({
    description:
      'The ETag of an earlier answer. The change applies to that revision only; otherwise the answer is 412. Several may be listed; "*" matches any.',
  }),
})
export const IfStateMatch = z.object({
  'if-match': z.string().optional().meta({
    description:
      'The ETag of the state that was read. The change applies to that state only; otherwise the answer is 412.',
  }),
})

/** Of changes that must not be made twice. */
export const Idempotent = z.object({
  'idempotency-key': z.string().min(1).max(255).optional().meta({
    description:
      'A random text. If no answer arrives, repeat the request with the same text: the change is made once.',
  }),
})

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { schema }
}

export function jsonAnswer<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } } as const
}

export const UNCHANGED = { description: 'Not modified' } as const

/** Any route may fail with one of these. */
export const PROBLEMS = {
  default: {
    description: 'The error and what to do about it',
    content: { 'application/problem+json': { schema: Problem } },
  },
} as const

/** Stored documents keep what they do not know; requests must not hold it. */
export const RetentionInput = Retention.strict()
export const EventRetentionInput = EventRetention.strict().meta({
  description: 'Events older than this many days are removed.',
})

export { Flag, Limit, NoQuery, OrgQuery, Repeated } from './queries.ts'
