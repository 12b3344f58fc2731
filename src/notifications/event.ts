import { z } from 'zod'
import { openObject } from '../bucket/index.ts'
import type { EventView } from '../state/index.ts'

/** An event of the journal, as far as a notification tells it. */
export const NotedEvent = openObject({
  id: z.string(),
  at: z.string(),
  type: z.string(),
  unit: openObject({ id: z.string(), name: z.string() }).nullable(),
  by: z.string(),
  data: z.record(z.string(), z.unknown()),
})
export type NotedEvent = z.infer<typeof NotedEvent>

/** Details of a larger event are left out: it waits in a document with others. */
const MOST_DATA = 4_000

export function notedEvent({ id, at, type, unit, by, data }: EventView): NotedEvent {
  return { id, at, type, unit, by, data: JSON.stringify(data).length > MOST_DATA ? {} : data }
}
