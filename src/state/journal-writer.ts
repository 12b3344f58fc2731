import { LRUCache } from 'lru-cache'
import { bodyOf } from '../bucket/index.ts'
import type { StateDeps } from './deps.ts'
import { journalKey } from './layout.ts'
import type { Event } from './model.ts'

/** A follower's cursor never passes this close to the present, so a record written within it cannot be skipped. */
export const SETTLE_MS = 10_000

/**
 * One record per event, written after the change that it tells was committed. The event waits in the outbox of the
 * changed document until it is here, so a crash in between only delays it: whoever comes next writes it.
 */
export interface JournalWriter {
  write(events: readonly Event[]): Promise<void>
  /** This process wrote it, so it may leave its outbox. */
  isWritten(eventId: string): boolean
}

export function createJournalWriter({ bucket, clock, ids }: StateDeps): JournalWriter {
  const written = new LRUCache<string, true>({ max: 10_000 })
  const underWay = new Map<string, Promise<void>>()

  async function writeOne(event: Event): Promise<void> {
    const body = bodyOf(JSON.stringify(event))
    // The first key is the event's own, so that two writers of one event make one record. A record that came late lies
    // where followers have already passed: it is told once more where they will come by, until one comes in time.
    // After a crash an event may therefore be seen twice; its id tells.
    for (let at = event.at, id = event.id; ; at = clock.now(), id = ids.ulid(at)) {
      await bucket.put(journalKey(at, id, event), body, 'absent', { contentType: 'application/json' })
      if (clock.now() - at <= SETTLE_MS / 2) break
    }
    written.set(event.id, true)
  }

  return {
    async write(events) {
      await Promise.all(
        events.map((event) => {
          if (written.has(event.id)) return undefined
          const earlier = underWay.get(event.id)
          if (earlier !== undefined) return earlier
          const promise = writeOne(event).finally(() => underWay.delete(event.id))
          underWay.set(event.id, promise)
          return promise
        }),
      )
    },
    isWritten: (eventId) => written.has(eventId),
  }
}
