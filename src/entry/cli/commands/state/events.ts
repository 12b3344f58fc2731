import { sayAuthor } from '../../../../base/text/author.ts'
import { eventAnswer } from '../../api/answers.ts'
import { linesOf } from '../../api/client.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import type { Client, SendOptions } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { check, fields, flag, list, maybe, text } from '../../api/check-answer.ts'
import { oneLine } from '../../../../base/text/terminal-text.ts'
import { systemClock } from '../../../../base/clock.ts'
import { isTacoError } from '../../../../base/errors.ts'

const page = fields({ items: list((value) => value), next: text, more: flag, latest: maybe(text) })
type EventPage = ReturnType<typeof page>
/** Per request. */
const MOST = 1000
const waitMs = 2000

type Query = NonNullable<SendOptions['query']>

interface EventOptions {
  readonly unit?: string
  readonly type?: readonly string[]
  readonly after?: string
  readonly limit?: number
  readonly follow?: boolean
}

export async function events(
  session: Session,
  _args: readonly string[],
  options: EventOptions,
): Promise<void> {
  const client = await session.client()
  const query = { unit: options.unit, type: options.type }
  let after = options.after
  // Following alone shows what comes; with a start or a number it shows what was, first.
  if (options.follow === true && after === undefined && options.limit === undefined) after = 'now'
  else after = await showPast(session, client, query, options)
  if (options.follow !== true) return
  session.output.note('waiting for events; Ctrl-C ends it')
  session.goOnUntilInterrupted()
  await follow(session, client, query, after).catch(inWordsOf(options))
}

/** The API speaks of its parameters. */
function inWordsOf({ type = [] }: EventOptions): (error: unknown) => never {
  return (error) => {
    const [, types] = (isTacoError(error) && /: type(?:\.\d+)? must be (.+)\.$/.exec(error.message)) || []
    if (types === undefined) throw error
    const known = types.split(' or ')
    const wrong = type.filter((one) => !known.includes(one))
    throw usageError(`There is no event type ${wrong.join(', ')}.`, `--type accepts ${known.join(', ')}.`)
  }
}

/** Gives the cursor of what comes after the last event shown. */
async function showPast(
  session: Session,
  client: Client,
  query: Query,
  options: EventOptions,
): Promise<string> {
  const read = async (asked: Query) =>
    check(
      page,
      await client.json('GET', '/v1/events', { query: { ...query, ...asked } }).catch(inWordsOf(options)),
    )
  const { limit, after: start } = options
  if (limit !== undefined && start === undefined) return showNewest(session, limit, read)
  const newest: unknown[] = []
  for (let after = start; ;) {
    const { items, next, more } = await read({ after, limit: MOST })
    if (limit === undefined) for (const item of items) show(session, item)
    else newest.splice(0, newest.length, ...[...newest, ...items].slice(-limit))
    after = next
    if (more) continue
    for (const item of newest) show(session, item)
    return next
  }
}

/** Asks for the newest, and shows them in the order in which they happened. */
async function showNewest(
  session: Session,
  count: number,
  read: (query: Query) => Promise<EventPage>,
): Promise<string> {
  const newest: unknown[] = []
  let latest = ''
  for (let after: string | undefined; newest.length < count;) {
    const page = await read({ order: 'desc', after, limit: Math.min(count - newest.length, MOST) })
    latest ||= page.latest ?? ''
    newest.push(...page.items)
    if (!page.more) break
    after = page.next
  }
  for (const item of newest.toReversed()) show(session, item)
  return latest
}

/** A feed that breaks is taken up again after the last event seen, so that none is missed. */
async function follow(session: Session, client: Client, query: Query, start: string): Promise<void> {
  const { signal } = session
  let after = start
  const shown = new Set<string>()
  for (;;) {
    try {
      const reply = await client.send('GET', '/v1/events', {
        query: { ...query, after },
        accept: 'text/event-stream',
        idleMs: 60_000,
        signal,
      })
      for await (const { id, data } of feedOf(reply)) {
        if (data !== undefined) showOnce(session, data, shown)
        if (id !== undefined) after = id
      }
    } catch (error) {
      if (
        signal.aborted ||
        isTacoError(error, 'UNAUTHENTICATED', 'FORBIDDEN', 'BAD_REQUEST', 'NOT_FOUND', 'GONE')
      )
        throw error
      session.output.trace(`the feed broke: ${String(error)}`)
    }
    if (signal.aborted) return
    await systemClock.sleep(waitMs, signal)
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
export async function* feedOf(
  reply: AsyncIterable<unknown>,
): AsyncGenerator<{ id: string | undefined; data: unknown }> {
  let id: string | undefined
  let data: string | undefined
  let isEnd = false
  for await (const line of linesOf(reply)) {
    if (line === '' || line === '\r') {
      // The server says why. Whoever asks again is told so with a status.
      if (isEnd) return
      if (id !== undefined || data !== undefined)
        yield { id, data: data === undefined ? undefined : JSON.parse(data) }
      id = data = undefined
      continue
    }
    const [, name, value = ''] = /^([a-z]*):? ?(.*?)\r?$/.exec(line) ?? []
    if (name === 'id') id = value
    if (name === 'event') isEnd = value === 'end'
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`
  }
}

function showOnce(session: Session, data: unknown, shown: Set<string>): void {
  const { id } = check(eventAnswer, data)
  if (shown.has(id)) return
  if (shown.size > 10_000) shown.clear()
  shown.add(id)
  show(session, data)
}

function show({ output }: Session, item: unknown): void {
  if (output.asJson) return output.jsonLine(item)
  const event = check(eventAnswer, item)
  const about = event.unit === null ? event.org : event.unit.name
  const line = `${event.at}  ${event.type.padEnd(16)}  ${oneLine(about)}  by ${oneLine(sayAuthor(event))}${sayData(item)}`
  output.say(line)
}

/** The short facts of an event: a serial, a reason, a name. */
function sayData(item: unknown): string {
  const data: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'data') : undefined
  if (typeof data !== 'object' || data === null) return ''
  const parts = Object.entries(data).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [`${name}=${String(value)}`] : [],
  )
  return parts.length === 0 ? '' : `  ${oneLine(parts.join(' ')).slice(0, 160)}`
}
