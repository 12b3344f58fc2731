import type { Origin } from '../../access/index.ts'

/** Requests that made an event, which is in the outbox of a document or on its way there. */
const recorded = new WeakSet<Origin>()

export function markRecorded(origin: Origin | undefined): void {
  if (origin !== undefined) recorded.add(origin)
}

/** Its events tell what it did: it needs no record of its own. */
export function isRecorded(origin: Origin | undefined): boolean {
  return origin !== undefined && recorded.has(origin)
}
