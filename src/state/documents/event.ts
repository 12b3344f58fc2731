import { z } from 'zod'
import { openObject, openWord } from '../../bucket/index.ts'

/** Events of this layer. Every layer lists its own, and reads those of all others as they are. */
export const EventType = z.enum([
  'org.created',
  'org.changed',
  'org.renamed',
  'org.deleted',
  'org.restored',
  'unit.created',
  'unit.adopted',
  'unit.changed',
  'unit.renamed',
  'unit.deleted',
  'unit.restored',
  'state.written',
  'state.deleted',
  'state.missing',
  'state.superseded',
  'lock.taken',
  'lock.released',
  'lock.forced',
  'lock.expired',
  'gc.pruned',
  'dependencies.changed',
])
export type EventType = z.infer<typeof EventType>

export const Event = openObject({
  /** A ulid: unique, sorts by time. */
  id: z.string(),
  at: z.number(),
  type: openWord(EventType),
  org: z.string(),
  unit: openObject({ id: z.string(), name: z.string() }).optional(),
  by: z.string(),
  /** What the caller says of itself: not verified. */
  who: z.string().optional(),
  requestId: z.string().optional(),
  /** Of the request that made the change. What a server does by itself has none of these. */
  via: openObject({ kind: z.string(), id: z.string(), name: z.string().optional() }).optional(),
  address: z.string().optional(),
  action: z.string().optional(),
  route: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
})
export type Event = z.infer<typeof Event>
