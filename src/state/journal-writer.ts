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
    const startedAt = clock.now()
    // The key is the event's own, so that two writers of one event make one record.
    await bucket.put(journalKey(event.at, event.id, event), body, 'absent', {
      contentType: 'application/json',
    })
    // A late record lies where followers have already passed: it is told once more where they will come by. After a
    // crash an event may therefore be seen twice; its id tells.
    if (clock.now() - event.at > SETTLE_MS / 2) {
      const now = Math.max(clock.now(), startedAt)
      await bucket.put(journalKey(now, ids.ulid(now), event), body, 'absent', {
        contentType: 'application/json',
      })
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
