import { z } from 'zod'
import { badRequest, isTacoError } from '../base/errors.ts'
import type { StateDeps } from './deps.ts'
import { viewEvent } from './events.ts'
import { inBatches } from './in-batches.ts'
import { readRecords } from './journal-records.ts'
import { SETTLE_MS } from './journal-writer.ts'
import type { JournalObject } from './layout.ts'
import { journalCursorAt, journalPrefix, parseJournalKey } from './layout.ts'
import type { Event } from './model.ts'
import { isUnitId } from './names.ts'
import type { EventQuery, Journal } from './services.ts'

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

/** Records of an object from the `from`th up to the `to`th, which is left out. */
interface Wanted {
  readonly key: string
  readonly from: number
  readonly to: number
}

export function createJournal({ bucket, clock, log }: StateDeps): Journal {
  async function read(query: EventQuery): ReturnType<Journal['read']> {
    const cursor =
      query.after === undefined
        ? { after: journalPrefix, seen: new Map() }
        : startOf(query.after, clock.now())
    const settledBefore = journalCursorAt(clock.now() - SETTLE_MS)
    const seen = new Map<string, number>(cursor.seen)
    const wanted: Wanted[] = []
    let count = 0
    let after = cursor.after
    let more = false
    scan: for await (const page of bucket.list(journalPrefix, { after: cursor.after })) {
      for (const { key } of page) {
        const object = parseJournalKey(key)
        const settled = key < settledBefore
        if (object !== undefined) {
          const { ulid, units } = object
          const from = Math.min(seen.get(ulid) ?? 0, units.length)
          const { to, matching } = recordsUpTo(object, from, query, query.limit - count)
          if (matching > 0 && !settled && !seen.has(ulid) && seen.size >= MOST_SEEN) break scan
          if (matching > 0) wanted.push({ key, from, to })
          count += matching
          if (to < units.length) {
            if (to > from) seen.set(ulid, to)
            more = true
            break scan
          }
          if (settled) seen.delete(ulid)
          else if (matching > 0) seen.set(ulid, Infinity)
        }
        if (settled) after = key
      }
    }
    const events = await readAll(wanted)
    const items = events.filter((event) => matches(event, query)).map(viewEvent)
    return { items, next: encodeCursor({ after, seen }), more }
  }

  async function readAll(wanted: readonly Wanted[]): Promise<Event[]> {
    const events = new Map<Wanted, readonly Event[]>()
    await inBatches(wanted, 32, async (part) => {
      const { key, from, to } = part
      const records = await readRecords(bucket, key)
      if (isTacoError(records)) log.error('a journal record cannot be read', { key, error: records.message })
      else if (records !== undefined) events.set(part, records.slice(from, to))
    })
    return wanted.flatMap((part) => events.get(part) ?? [])
  }

  return { read }
}

/** As far as the limit goes: the first record beyond it that could be wanted, or the end. */
function recordsUpTo(
  { org, units }: JournalObject,
  from: number,
  query: EventQuery,
  most: number,
): { readonly to: number; readonly matching: number } {
  let matching = 0
  for (let to = from; to < units.length; to++) {
    if (!couldMatch({ org, unit: units[to] ?? '' }, query)) continue
    if (matching === most) return { to, matching }
    matching++
  }
  return { to: units.length, matching }
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
