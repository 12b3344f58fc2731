import { z } from 'zod'
import { badRequest } from '../../../../base/errors.ts'
import type { EventView } from '../../../../state/index.ts'
import { callerNetwork } from '../../auth/client-address.ts'
import { eventStream } from '../../kit/events/event-stream.ts'
import { visibleEvents } from '../../kit/events/visible-events.ts'
import type { Route } from '../../kit/routes/route.ts'
import { route } from '../define.ts'
import { createLookChanges } from './look-changes.ts'

/**
 * What happens in an organization, for pages that are open (`assets/live.js`). `journal`: an event that the person may
 * see. `looks`: units whose status changed on the map. `reload`: more changed than that.
 */
export const liveRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/app/{org}/live',
    id: 'followOrganization',
    action: 'events:read',
    isFiltered: true,
    tags: ['pages'],
    summary: 'What happens in an organization, for an open page',
    params: z.object({ org: z.string() }),
    query: z.object({
      /** The print of the looks that the page shows. Absent: it shows none. */
      looks: z.string().optional(),
    }),
    target: ({ params: { org } }) => ({ org }),
    answers: {
      200: { description: 'Server-sent events', content: { 'text/event-stream': { schema: z.string() } } },
    },
    async handle({ params: { org }, query, headers, x, caller }, services) {
      const { longAnswers, control, clock } = services
      if (headers.accept?.includes('text/event-stream') !== true)
        throw badRequest('accept', 'This address is a stream of events.', 'Send Accept: text/event-stream.')
      x.res.once('close', longAnswers.streams.take(callerNetwork(x.address)))
      const changes =
        query.looks === undefined ? undefined : createLookChanges(services, { org, x }, query.looks)
      const stream = await eventStream({ org, after: 'now', limit: 200 }, headers, {
        journal: control.journal,
        clock,
        caller,
        shown: (items: readonly EventView[]) => visibleEvents(items, x, services),
        nameOf: () => 'journal',
        ...(changes === undefined ? {} : { also: changes }),
        signal: AbortSignal.any([x.signal, longAnswers.stopping.signal]),
        checkAgain: x.checkAgain,
      })
      return { status: 200, ...stream }
    },
  }),
]
