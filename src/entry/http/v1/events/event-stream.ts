import type { Clock } from '../../../../base/clock.ts'
import type { EventQuery, EventView, Journal } from '../../../../state/index.ts'
import { defined } from '../../kit/drop-undefined.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { EventsQuery, queryOf } from '../../openapi/queries.ts'
import { writeHead } from '../../kit/response/respond.ts'
import { sendChunks } from '../../kit/response/send-bytes.ts'

export interface EventStreamDeps {
  readonly journal: Journal
  readonly clock: Clock
  readonly everyMs: number
  /** Aborted when the server shuts down. */
  readonly stopping: AbortSignal
}

const HEARTBEAT_MS = 15_000
const PAGE = 200

export function wantsEventStream(x: Exchange): boolean {
  return (
    x.path === '/v1/events' &&
    x.method === 'GET' &&
    (x.req.headers.accept ?? '').includes('text/event-stream')
  )
}

/** The journal as server-sent events: no event is skipped, and one may come twice after a reconnect. */
export async function answerEventStream(x: Exchange, deps: EventStreamDeps): Promise<void> {
  const query = readQuery(x)
  const first = await deps.journal.read(query)
  const signal = AbortSignal.any([x.signal, deps.stopping])
  const head = () => writeHead(x, 200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  await sendChunks(x, follow({ ...deps, query, first, signal }), head)
  x.res.end()
}

interface Following extends EventStreamDeps {
  readonly query: EventQuery
  readonly first: Awaited<ReturnType<Journal['read']>>
  readonly signal: AbortSignal
}

async function* follow({
  journal,
  clock,
  everyMs,
  query,
  first,
  signal,
}: Following): AsyncGenerator<Uint8Array> {
  yield Buffer.from('retry: 2000\n\n')
  let page = first
  let cursor = query.after
  let beatAt = clock.now()
  for (;;) {
    const text = renderPage(page.items, page.next, cursor)
    cursor = page.next
    if (text !== '') {
      beatAt = clock.now()
      yield Buffer.from(text)
    } else if (clock.now() - beatAt >= HEARTBEAT_MS) {
      beatAt = clock.now()
      yield Buffer.from(': still here\n\n')
    }
    if (!page.more) await clock.sleep(everyMs, signal).catch(() => {})
    if (signal.aborted) return
    page = await journal.read({ ...query, after: cursor })
  }
}

/** Cursors stand between pages, so only the last event of a page has an id; a reconnect repeats what followed the one before. */
function renderPage(items: readonly EventView[], next: string, before: string | undefined): string {
  if (items.length === 0) return next === before ? '' : `id: ${next}\n\n`
  return items
    .map((item, i) => {
      const id = i === items.length - 1 ? `id: ${next}\n` : ''
      return `${id}event: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`
    })
    .join('')
}

function readQuery(x: Exchange): EventQuery {
  const { type: types, after, org, unit } = queryOf(x, EventsQuery)
  const lastId = x.req.headers['last-event-id']
  return {
    ...defined({ org, unit, types, after: (Array.isArray(lastId) ? lastId[0] : lastId) || after }),
    limit: PAGE,
  }
}
