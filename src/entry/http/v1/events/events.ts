import { z } from 'zod'
import { callerNetwork } from '../../auth/client-address.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { JournalEvent } from '../../openapi/openapi-schemas.ts'
import { EventsQuery } from '../../openapi/queries.ts'
import { route } from '../define.ts'
import { eventStream } from '../../kit/events/event-stream.ts'
import { visibleEvents } from '../../kit/events/visible-events.ts'
import type { EventView } from '../../../../state/index.ts'

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/v1/events',
    id: 'listEvents',
    action: 'events:read',
    tags: ['events'],
    isFiltered: true,
    summary: 'Read the journal, or follow it as server-sent events',
    query: EventsQuery,
    target: ({ query: { org, unit } }) => ({ org, unit }),
    answers: {
      200: {
        description:
          'A page, or with "Accept: text/event-stream" a feed that does not end and whose ids are cursors (Last-Event-ID continues from there)',
        content: {
          'application/json': {
            schema: z.object({
              items: z.array(JournalEvent),
              next: z.string().meta({ description: 'The cursor of the next page, in the same order.' }),
              more: z
                .boolean()
                .meta({ description: 'False: this is the end. Oldest first, more may come later.' }),
              latest: z.string().optional().meta({
                description:
                  'With order=desc and without "after": the cursor (order=asc) of what comes after this answer.',
              }),
            }),
          },
          'text/event-stream': { schema: z.string() },
        },
      },
    },
    async handle({ query: { type: types, ...query }, headers, x, caller }, services) {
      const { journal } = services.control
      const wanted = defined({ ...query, types })
      if (x.method === 'GET' && (headers.accept ?? '').includes('text/event-stream')) {
        x.res.once('close', services.streams.take(callerNetwork(x.address)))
        const { clock } = services
        const signal = AbortSignal.any([x.signal, services.stopping])
        const shown = (items: readonly EventView[]) => visibleEvents(items, x, services)
        const deps = { journal, clock, shown, caller, signal, checkAgain: x.checkAgain }
        return { status: 200, ...(await eventStream(wanted, headers, deps)) }
      }
      const page = await journal.read(wanted, caller)
      return { status: 200, json: { ...page, items: [...(await visibleEvents(page.items, x, services))] } }
    },
  }),
]
