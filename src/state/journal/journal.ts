import { z } from 'zod'
import { badRequest, isTacoError } from '../../base/errors.ts'
import type { StateDeps } from '../settings.ts'
import { viewEvent } from './events.ts'
import { inBatches } from '../../base/for-each-limit.ts'
import { readRecords } from './journal-records.ts'
import { SETTLE_MS } from './journal-writer.ts'
import type { JournalObject } from '../documents/layout.ts'
import { journalCursorAt, journalPrefix, parseJournalKey } from '../documents/layout.ts'
import type { Event } from '../documents/model.ts'
import { isUnitId } from '../documents/names.ts'
import type { EventQuery, Journal } from '../state-control.ts'
import type { EventView } from '../views/views.ts'

/**
 * The journal as a feed. Records sort by the time of their event, but may arrive a little out of order: another
 * server's clock, a slow write. So a cursor never passes what is younger than SETTLE_MS; it names the younger records
 * that were handed out already instead. What arrives later than that is told again under a later key.
 */
interface Cursor {
  /** Everything up to here was handed out. */
  readonly after: string
  /** Handed out beyond that: objects by their name, with how many records of it where it was not all of them. */
  readonly seen: ReadonlyMap<string, number>
}

const CursorText = z.tuple([z.string(), z.array(z.string().regex(/^[0-9A-Z]{26}(\+\d+)?$/))])
/** More would make cursors too long: then the reader gets the rest once they have settled. */
const MOST_SEEN = 200

/** What one answer costs at most, whatever the filters: objects read, and keys looked at. */
const MOST_READ = 2_000
const MOST_LISTED = 50_000
const READ_AT_ONCE = 256
/** Where only the record tells whether it fits, a page of few is not looked for one by one. */
const LEAST_READ_AT_ONCE = 32

interface Listed {
  readonly key: string
  readonly object: JournalObject | undefined
  /** The first record that was not handed out before. */
  readonly from: number
  /** By its key, at least one of its records could be wanted. */
  readonly isCandidate: boolean
}

export function createJournal({ bucket, clock, log }: StateDeps): Journal {
  async function read(query: EventQuery): ReturnType<Journal['read']> {
    const cursor =
      query.after === undefined
        ? { after: journalPrefix, seen: new Map<string, number>() }
        : startOf(query.after, clock.now())
    const settledBefore = journalCursorAt(clock.now() - SETTLE_MS)
    const page = createPage(cursor, query, settledBefore)
    let [listed, candidates] = [0, 0]
    scan: for await (const entries of bucket.list(journalPrefix, { after: cursor.after })) {
      for (let at = 0; at < entries.length;) {
        const run = runFrom(entries, at, page)
        const wanted = run.filter(({ isCandidate }) => isCandidate)
        const records = await readAll(wanted)
        for (const one of run) if (!page.take(one, records.get(one))) break scan
        at += run.length
        listed += run.length
        candidates += wanted.length
        if (candidates >= MOST_READ || listed >= MOST_LISTED) {
          page.stop()
          break scan
        }
      }
    }
    return page.answer()
  }

  async function readAll(wanted: readonly Listed[]): Promise<ReadonlyMap<Listed, readonly Event[]>> {
    const events = new Map<Listed, readonly Event[]>()
    await inBatches(wanted, 32, async (one) => {
      const records = await readRecords(bucket, one.key)
      if (isTacoError(records))
        log.error('a journal record cannot be read', { key: one.key, error: records.message })
      else if (records !== undefined) events.set(one, records)
    })
    return events
  }

  return { read }
}

/** The next objects of a listing that are looked at together: as many as could fill the page. */
function runFrom(entries: readonly { readonly key: string }[], start: number, page: Page): Listed[] {
  const run: Listed[] = []
  let left = page.readAhead()
  for (let at = start; at < entries.length && left > 0; at++) {
    const one = page.look(entries[at]?.key ?? '')
    run.push(one)
    if (one.isCandidate) left--
  }
  return run
}

interface Page {
  look(key: string): Listed
  /** How many candidates are worth reading at once. */
  readAhead(): number
  /** False: the page ends before or in this object. */
  take(listed: Listed, records: readonly Event[] | undefined): boolean
  /** The answer has cost enough. */
  stop(): void
  answer(): Awaited<ReturnType<Journal['read']>>
}

/** What is handed out, and how far the cursor gets with it. */
function createPage(cursor: Cursor, query: EventQuery, settledBefore: string): Page {
  const seen = new Map<string, number>(cursor.seen)
  const items: EventView[] = []
  let { after } = cursor
  let more = false
  const isSettled = (key: string) => key < settledBefore
  const isExact = (query.types ?? []).length === 0 && (query.unit === undefined || isUnitId(query.unit))

  /** Where in the object the page is full: the first record beyond it that could be wanted, or the end. */
  function fill({ org, units }: JournalObject, from: number, records: readonly Event[]): number {
    for (let to = from; to < units.length; to++) {
      if (!couldMatch({ org, unit: units[to] ?? '' }, query)) continue
      if (items.length === query.limit) return to
      const event = records[to]
      if (event !== undefined && matches(event, query)) items.push(viewEvent(event))
    }
    return units.length
  }

  return {
    look(key) {
      const object = parseJournalKey(key)
      if (object === undefined) return { key, object, from: 0, isCandidate: false }
      const { ulid, org, units } = object
      const from = Math.min(seen.get(ulid) ?? 0, units.length)
      const isCandidate = units.slice(from).some((unit) => couldMatch({ org, unit }, query))
      return { key, object, from, isCandidate }
    },
    readAhead() {
      const left = query.limit - items.length
      return Math.min(Math.max(left, isExact ? 1 : LEAST_READ_AT_ONCE), READ_AT_ONCE)
    },
    take({ key, object, from, isCandidate }, records = []) {
      const settled = isSettled(key)
      if (object !== undefined && isCandidate) {
        const { ulid, units } = object
        const before = items.length
        const isFull = !settled && !seen.has(ulid) && seen.size >= MOST_SEEN
        // Which records it has would not fit into the cursor; those that are not wanted need not.
        if (isFull && records.slice(from).some((event) => matches(event, query))) return false
        const to = fill(object, from, records)
        if (to < units.length) {
          if (to > from) seen.set(ulid, to)
          more = true
          return false
        }
        if (!settled && (items.length > before || !isFull)) seen.set(ulid, Infinity)
      }
      if (settled) {
        if (object !== undefined) seen.delete(object.ulid)
        after = key
      }
      return true
    },
    stop() {
      // A cursor does not get past what is not settled: whoever went on at once would get the same answer.
      more = after > cursor.after
    },
    answer: () => ({ items, next: encodeCursor({ after, seen }), more }),
  }
}

/** By the key alone: the rest needs the record. */
function couldMatch(record: { org: string; unit: string }, query: EventQuery): boolean {
  if (query.org !== undefined && record.org !== query.org) return false
  return query.unit === undefined || !isUnitId(query.unit) || record.unit === query.unit
}

function matches(event: Event, query: EventQuery): boolean {
  const { types = [] } = query
  if (types.length > 0 && !types.some((type) => type === event.type)) return false
  return query.unit === undefined || event.unit?.id === query.unit || event.unit?.name === query.unit
}

function startOf(text: string, now: number): Cursor {
  return text === 'now' ? { after: journalCursorAt(now), seen: new Map() } : decodeCursor(text)
}

function encodeCursor({ after, seen }: Cursor): string {
  const names = Array.from(seen, ([ulid, count]) => (count === Infinity ? ulid : `${ulid}+${count}`))
  return Buffer.from(JSON.stringify([after.slice(journalPrefix.length), names])).toString('base64url')
}

function decodeCursor(text: string): Cursor {
  try {
    const [after, names] = CursorText.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
    const seen = names.map((name): [string, number] => {
      const [ulid = '', count] = name.split('+')
      return [ulid, count === undefined ? Infinity : Number(count)]
    })
    return { after: journalPrefix + after, seen: new Map(seen) }
  } catch {
    throw badRequest(
      'after',
      'this cursor is not one of ours',
      'leave it out to start from the beginning, or use "now"',
    )
  }
}
