import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../../../base/clock.ts'
import { badRequest } from '../../../../base/errors.ts'
import type { Caller, EventPage, EventQuery, EventView, Journal } from '../../../../state/index.ts'
import { problemOf } from '../response/problem.ts'
import { defined } from '../drop-undefined.ts'

export interface EventStreamDeps {
  readonly journal: Journal
  readonly clock: Clock
  readonly caller: Caller
  /** Those that the caller may see. */
  readonly shown: (items: readonly EventView[]) => Promise<readonly EventView[]>
  /** The name of an event in the stream. Default: its type. */
  readonly nameOf?: (item: EventView) => string
  /**
   * What else to say: at the beginning, when something happened, even if the caller may not see what, and for a moment
   * after that, because what it reads may be older than the event.
   */
  readonly also?: () => Promise<string>
  /** Aborted when the client goes away or the server shuts down. */
  readonly signal: AbortSignal
  /** Throws if the caller may not read on. */
  checkAgain(): Promise<void>
}

const HEARTBEAT_MS = 15_000
const PAGE = 200
/** By then, lists of units and the graph show what another server wrote before the event was read. */
const LAG_MS = 2_500
/** A credential counts for 2 s without being read again, so a stream ends within 5 s after it was revoked. */
const CHECK_EVERY_MS = 2_000

/** The journal as server-sent events: no event is skipped, and one may come twice after a reconnect. */
export async function eventStream(asked: EventQuery, headers: IncomingHttpHeaders, deps: EventStreamDeps) {
  if (asked.order === 'desc')
    throw badRequest(
      'order',
      'An event stream is always oldest first.',
      'Leave "order" out, or read pages of JSON.',
    )
  const lastId = headers['last-event-id']
  const after = (Array.isArray(lastId) ? lastId[0] : lastId) || asked.after
  const query = { ...asked, ...defined({ after }), limit: PAGE }
  const allowed = whileAllowed(deps)
  const pages = deps.journal.follow(query, allowed.signal, deps.caller)[Symbol.asyncIterator]()
  // Even if the second page is never requested.
  allowed.signal.addEventListener('abort', () => void pages.return?.(), { once: true })
  return {
    type: 'text/event-stream',
    headers: { 'x-accel-buffering': 'no' },
    // What is wrong with the query is answered with a status of its own, so the first page comes before the head.
    chunks: render(await pages.next(), pages, deps, allowed.refusal),
  }
}

/** Aborted when the stream has to end. `refusal`: why, if the caller may not read on. */
function whileAllowed({ signal, clock, checkAgain }: EventStreamDeps) {
  const refused = new AbortController()
  const either = AbortSignal.any([signal, refused.signal])
  let refusal: unknown
  async function watch(): Promise<void> {
    while (!either.aborted) {
      await clock.sleep(CHECK_EVERY_MS, either)
      await checkAgain()
    }
  }
  watch().catch((error: unknown) => {
    if (either.aborted) return
    refusal = error
    refused.abort()
  })
  return { signal: either, refusal: () => refusal }
}

async function* render(
  first: IteratorResult<EventPage>,
  pages: AsyncIterator<EventPage>,
  { clock, caller, shown, nameOf = typeOf, also }: EventStreamDeps,
  refusal: () => unknown,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from('retry: 2000\n\n')
  let sentAt = clock.now()
  let newsAt = sentAt
  for (let page = first; page.done !== true && refusal() === undefined; page = await pages.next()) {
    const { next } = page.value
    const items = await shown(page.value.items)
    if (page.value.items.length > 0) newsAt = clock.now()
    const more = clock.now() - newsAt < LAG_MS ? ((await also?.()) ?? '') : ''
    // Without events a cursor is worth a line now and again; that also shows that the stream is alive.
    const isDue = page === first || clock.now() - sentAt >= HEARTBEAT_MS
    if (items.length === 0 && more === '' && !isDue) continue
    sentAt = clock.now()
    const said = items.length === 0 ? `: still here\nid: ${next}\n\n` : renderPage(items, next, nameOf)
    yield Buffer.from(said + more)
  }
  const why = refusal()
  if (why === undefined) return
  yield Buffer.from(`event: end\ndata: ${JSON.stringify(problemOf(why, caller.requestId ?? ''))}\n\n`)
}

const typeOf = ({ type }: EventView) => type

/** Cursors are between pages, so only the last event of a page has an id; a reconnect repeats the events of an unfinished page. */
function renderPage(items: readonly EventView[], next: string, nameOf: (item: EventView) => string): string {
  return items
    .map((item, i) => {
      const id = i === items.length - 1 ? `id: ${next}\n` : ''
      return `${id}event: ${nameOf(item)}\ndata: ${JSON.stringify(item)}\n\n`
    })
    .join('')
}
