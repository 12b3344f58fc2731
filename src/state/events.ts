import type { StateDeps } from './deps.ts'
import type { Background } from './background.ts'
import type { JournalWriter } from './journal-writer.ts'
import type { Event } from './model.ts'
import type { EventDraft, Outbox } from './services.ts'
import type { EventView } from './views.ts'
import { isoTime } from '../base/clock.ts'

export type { EventDraft } from './services.ts'

export function makeEvent(
  deps: Pick<StateDeps, 'ids' | 'clock'>,
  about: { readonly org: string; readonly id?: string; readonly name: string },
  draft: EventDraft,
): Event {
  const at = deps.clock.now()
  return {
    id: deps.ids.ulid(at),
    at,
    type: draft.type,
    org: about.org,
    ...(about.id === undefined ? {} : { unit: { id: about.id, name: about.name } }),
    by: draft.caller.by,
    ...(draft.caller.requestId === undefined ? {} : { requestId: draft.caller.requestId }),
    data: { ...draft.data },
  }
}

export function viewEvent(event: Event): EventView {
  return {
    id: event.id,
    at: isoTime(event.at),
    type: event.type,
    org: event.org,
    unit: event.unit ?? null,
    by: event.by,
    requestId: event.requestId ?? null,
    data: event.data,
  }
}

/** What somebody else has made this long ago may have been left behind by a crash. */
const LEFT_MS = 2_000

export function createOutbox(deps: StateDeps, background: Background, journal: JournalWriter): Outbox {
  /** Several may read one document at once: what it holds is told by one of them. */
  const flushing = new Set<string>()

  async function flush(left: readonly Event[]): Promise<void> {
    for (const { id } of left) flushing.add(id)
    try {
      await journal.flush(left)
    } finally {
      for (const { id } of left) flushing.delete(id)
    }
  }

  return {
    make: ({ org, unit }, draft) =>
      makeEvent(deps, unit === undefined ? { org, name: org } : { org, ...unit }, draft),
    unsent: (outbox) => outbox.filter(({ id }) => !journal.isWritten(id)),
    send(outbox, made, document) {
      const { flushEvents, tidyAfterMs } = deps.settings
      if (!flushEvents) return
      const isLeft = ({ id, at }: Event) =>
        !journal.isWritten(id) && !flushing.has(id) && deps.clock.now() - at > LEFT_MS
      const left = outbox.filter(isLeft)
      const writing: Promise<void>[] = []
      const run = (what: string, write: () => Promise<void>) =>
        background.run(what, () => {
          const written = write()
          writing.push(written)
          return written
        })
      if (made.length > 0) run('writing events to the journal', () => journal.write(made))
      if (left.length > 0) run('writing events left in an outbox', () => flush(left))
      if (document === undefined || tidyAfterMs === null || writing.length === 0) return
      background.later(`emptying the outbox of ${document.key}`, tidyAfterMs, async () => {
        // Whoever closes does not wait before it comes here. What could not be written stays where it is.
        await Promise.allSettled(writing)
        if (outbox.every(({ id }) => journal.isWritten(id))) await document.empty()
      })
    },
  }
}
