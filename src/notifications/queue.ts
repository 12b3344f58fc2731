import type { DeliveriesDocument } from './deliveries.ts'
import type { DeliveryResponse } from './destination.ts'
import type { NotedEvent } from './event.ts'

/** What waits for one destination. Pure. */

export const MOST_WAITING = 1_000
const MOST_DONE = 300
const MOST_RESPONSES = 5
/** An event that could not be delivered for this long is given up. */
export const KEPT_MS = 24 * 3_600_000
const LONGEST_PAUSE_MS = 15 * 60_000

/** Adds events that are not known yet. The oldest are given up if there are too many. */
export function enqueue(deliveries: DeliveriesDocument, events: readonly NotedEvent[]): DeliveriesDocument {
  const known = new Set([...deliveries.done, ...deliveries.waiting.map(({ id }) => id)])
  const added = [...new Map(events.map((event) => [event.id, event])).values()].filter(
    ({ id }) => !known.has(id),
  )
  if (added.length === 0) return deliveries
  return withoutFirst({ ...deliveries, waiting: [...deliveries.waiting, ...added] })
}

function withoutFirst(deliveries: DeliveriesDocument): DeliveriesDocument {
  const over = deliveries.waiting.length - MOST_WAITING
  if (over <= 0) return deliveries
  return giveUp(deliveries, deliveries.waiting.slice(0, over))
}

/** Takes out what is too old, or is from before the destination was enabled. */
export function dropOld(deliveries: DeliveriesDocument, oldest: number): DeliveriesDocument {
  const old = deliveries.waiting.filter(({ at }) => Date.parse(at) < oldest)
  return old.length === 0 ? deliveries : giveUp(deliveries, old)
}

function giveUp(deliveries: DeliveriesDocument, events: readonly NotedEvent[]): DeliveriesDocument {
  return { ...settled(deliveries, events), givenUp: deliveries.givenUp + events.length }
}

function settled(deliveries: DeliveriesDocument, events: readonly NotedEvent[]): DeliveriesDocument {
  const ids = new Set(events.map(({ id }) => id))
  return {
    ...deliveries,
    waiting: deliveries.waiting.filter(({ id }) => !ids.has(id)),
    done: [...deliveries.done, ...ids].slice(-MOST_DONE),
  }
}

export function noteResponses(
  deliveries: DeliveriesDocument,
  responses: readonly DeliveryResponse[],
): DeliveriesDocument {
  const newestFirst = [...responses.toReversed(), ...deliveries.responses]
  return { ...deliveries, responses: newestFirst.slice(0, MOST_RESPONSES) }
}

/** After some deliveries, of which the last one may have failed. */
export function settle(
  deliveries: DeliveriesDocument,
  {
    delivered,
    responses,
    now,
    pauseMs,
  }: {
    readonly delivered: readonly NotedEvent[]
    readonly responses: readonly DeliveryResponse[]
    readonly now: number
    /** Before the second attempt. It doubles with each further one. */
    readonly pauseMs: number
  },
): DeliveriesDocument {
  const next = noteResponses(settled(deliveries, delivered), responses)
  if (responses.at(-1)?.isSuccessful !== false) return { ...next, attempts: 0, nextAt: 0 }
  const attempts = delivered.length > 0 ? 1 : deliveries.attempts + 1
  return { ...next, attempts, nextAt: now + Math.min(pauseMs * 2 ** (attempts - 1), LONGEST_PAUSE_MS) }
}
