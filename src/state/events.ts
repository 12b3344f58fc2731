import type { StateDeps } from './deps.ts'
import type { Event, EventType } from './model.ts'
import type { Caller } from './services.ts'
import type { EventView } from './views.ts'
import { isoTime } from '../base/clock.ts'

/** What happened, before it has an id and a time. It goes into the outbox of the document whose change it tells. */
export interface EventDraft {
  readonly type: EventType
  readonly caller: Pick<Caller, 'by' | 'requestId'>
  readonly data?: Readonly<Record<string, unknown>>
}

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
