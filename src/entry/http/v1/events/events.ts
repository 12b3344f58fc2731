import type { Journal } from '../../../../state/index.ts'
import { type Api, PROBLEMS, createRoute, z } from '../../openapi/api.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { JournalEvent } from '../../openapi/openapi-schemas.ts'
import { EventsQuery } from '../../openapi/queries.ts'

const list = createRoute({
  method: 'get',
  path: '/v1/events',
  tags: ['events'],
  summary: 'The journal, oldest first; as server-sent events it goes on for ever',
  request: {
    query: EventsQuery,
  },
  responses: {
    200: {
      description:
        'A page, or with "Accept: text/event-stream" a feed whose ids are cursors (Last-Event-ID goes on from there)',
      content: {
        'application/json': {
          schema: z.object({ items: z.array(JournalEvent), next: z.string(), more: z.boolean() }),
        },
        'text/event-stream': { schema: z.string() },
      },
    },
    ...PROBLEMS,
  },
})

export function addEvents(api: Api, journal: Journal): void {
  api.openapi(list, async (c) => {
    const { type, ...query } = c.req.valid('query')
    const page = await journal.read({ ...defined(query), ...(type === undefined ? {} : { types: type }) })
    return c.json({ items: [...page.items], next: page.next, more: page.more }, 200)
  })
}
