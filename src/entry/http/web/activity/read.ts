import type { Caller, EventView } from '../../../../state/index.ts'
import { visibleEvents } from '../../kit/events/visible-events.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { WebServices } from '../services.ts'
import { option } from '../shell/command-line.ts'

export interface ActivityFilter {
  readonly org: string
  readonly types: readonly string[]
  readonly unit: string | undefined
  /** A part of the name of who did it. */
  readonly person: string | undefined
}

/** Of `taco events`, for the same events. Who did it is not among them. Pure. */
export function eventOptions({ types, unit }: Pick<ActivityFilter, 'types' | 'unit'>): readonly string[] {
  return [...types.flatMap((type) => option('type', type)), ...option('unit', unit)]
}

interface Amount {
  readonly events: number
  /** So many events are looked at, however few of them the filter leaves. */
  readonly read: number
}

/** Newest first, and only what the person may see. `next`: a cursor, if there may be more. */
export async function readActivity(
  { org, types, unit, person }: ActivityFilter,
  cursor: string | undefined,
  most: Amount,
  { x, caller }: { readonly x: Exchange; readonly caller: Caller },
  services: Pick<WebServices, 'control' | 'access'>,
): Promise<{ readonly events: readonly EventView[]; readonly next: string | undefined }> {
  const found: EventView[] = []
  // An event that was written late appears twice: at its own time, and where followers find it.
  const told = new Set<string>()
  const wanted = person?.toLowerCase()
  let after = cursor
  for (let read = 0; read < most.read && found.length < most.events;) {
    const page = await services.control.journal.read(
      {
        org,
        order: 'desc',
        limit: Math.min(100, most.events),
        ...(types.length === 0 ? {} : { types }),
        ...(unit === undefined ? {} : { unit }),
        ...(after === undefined ? {} : { after }),
      },
      caller,
    )
    const seen = await visibleEvents(page.items, x, services)
    found.push(
      ...seen
        .filter(({ id }) => !told.has(id) && told.add(id))
        .filter(({ by, who }) => wanted === undefined || `${by} ${who ?? ''}`.toLowerCase().includes(wanted)),
    )
    if (!page.more) return { events: found, next: undefined }
    after = page.next
    // A page may be empty and not the last: then the server looked at as much as one answer may cost.
    read += Math.max(page.items.length, 50)
  }
  return { events: found, next: after }
}
