import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../../../base/clock.ts'
import type { EventQuery, EventView, Journal } from '../../../../state/index.ts'
import { defined } from '../../kit/drop-undefined.ts'

export interface EventStreamDeps {
  readonly journal: Journal
  readonly clock: Clock
  readonly everyMs: number
  /** Aborted when the client goes away or the server shuts down. */
  readonly signal: AbortSignal
}

const HEARTBEAT_MS = 15_000
const PAGE = 200

/** The journal as server-sent events: no event is skipped, and one may come twice after a reconnect. */
export async function eventStream(asked: EventQuery, headers: IncomingHttpHeaders, deps: EventStreamDeps) {
  const lastId = headers['last-event-id']
  const after = (Array.isArray(lastId) ? lastId[0] : lastId) || asked.after
  const query = { ...asked, ...defined({ after }), limit: PAGE }
  const first = await deps.journal.read(query)
  return {
    type: 'text/event-stream',
    headers: { 'x-accel-buffering': 'no' },
    chunks: follow({ ...deps, query, first }),
  }
}

interface Following extends EventStreamDeps {
  readonly query: EventQuery
  readonly first: Awaited<ReturnType<Journal['read']>>
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
