import { type Origin, authorOf, viaOf, viewAuthor } from '../../access/index.ts'
import { markRecorded } from '../audit/recorded.ts'
import type { StateDeps } from '../settings.ts'
import type { Background } from './background.ts'
import type { JournalWriter } from './journal-writer.ts'
import type { Event } from '../documents/model.ts'
import type { OutboxDocument } from '../../bucket/index.ts'
import type { EventDraft, Outbox } from '../state-control.ts'
import type { EventView } from '../views/views.ts'
import { isoTime } from '../../base/clock.ts'
import { isTacoError } from '../../base/errors.ts'

export type { EventDraft } from '../state-control.ts'

export function makeEvent(
  deps: Pick<StateDeps, 'ids' | 'clock'>,
  about: { readonly org: string; readonly id?: string; readonly name: string },
  draft: EventDraft<string>,
): Event {
  const at = deps.clock.now()
  const { by, who } = draft.author ?? authorOf(draft.caller)
  markRecorded(draft.caller.origin)
  return {
    id: deps.ids.ulid(at),
    at,
    type: draft.type,
    org: about.org,
    ...(about.id === undefined ? {} : { unit: { id: about.id, name: about.name } }),
    by,
    ...(who === undefined ? {} : { who }),
    ...(draft.caller.requestId === undefined ? {} : { requestId: draft.caller.requestId }),
    // Where the caller only completes what another one began, its request says nothing about the author.
    ...(draft.author === undefined ? requestOf(draft.caller) : {}),
    data: { ...draft.data },
  }
}

function requestOf({ principal, origin }: EventDraft['caller']): Pick<Event, 'via' | keyof Origin> {
  const via = viaOf(principal)
  return { ...(via === undefined ? {} : { via }), ...origin }
}

export function viewEvent(event: Event): EventView {
  return {
    id: event.id,
    at: isoTime(event.at),
    type: event.type,
    org: event.org,
    unit: event.unit ?? null,
    ...viewAuthor(event),
    requestId: event.requestId ?? null,
    data: event.data,
  }
}

/** An event of another process this old may have been left behind by a crash. */
const LEFT_MS = 2_000

export function createOutbox(deps: StateDeps, background: Background, journal: JournalWriter): Outbox {
  const { flushEvents, tidyAfterMs } = deps.settings

  /** Several requests may read one document at once: one of them sends its events. */
  function isLeft({ id, at }: Event): boolean {
    return !journal.isWritten(id) && !journal.isUnderWay(id) && deps.clock.now() - at > LEFT_MS
  }

  function flushLeft(outbox: readonly Event[]): boolean {
    const left = outbox.filter(isLeft)
    if (left.length > 0)
      background.run('writing events left in an outbox', () => ifAllowed(() => journal.flush(left)))
    return left.length > 0
  }

  function emptyLater(outbox: readonly Event[], { key, empty }: OutboxDocument): void {
    if (tidyAfterMs === null) return
    const emptyIfTold = async () => {
      // Waits for what is being written: a close does not wait before it gets here.
      await journal.flush(outbox)
      if (outbox.every(({ id }) => journal.isWritten(id))) await empty()
    }
    background.later(`emptying the outbox of ${key}`, tidyAfterMs, () => ifAllowed(emptyIfTold))
  }

  return {
    make: ({ org, unit }, draft) =>
      makeEvent(deps, unit === undefined ? { org, name: org } : { org, ...unit }, draft),
    unsent: (outbox) => outbox.filter(({ id }) => !journal.isWritten(id)),
    send(outbox, made, document) {
      if (!flushEvents) return
      if (made.length > 0) background.run('writing events to the journal', () => journal.write(made))
      flushLeft(outbox)
      if (outbox.length > 0 && document !== undefined) emptyLater(outbox, document)
    },
    sendLeft(outbox, document) {
      if (flushEvents && flushLeft(outbox)) emptyLater(outbox, document)
    },
  }
}

/** A read-only server leaves it to others, and need not log it with every command. */
async function ifAllowed(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isTacoError(error, 'BUCKET_REFUSED')) throw error
  }
}
