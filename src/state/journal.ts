import { z } from 'zod'
import type { TacoError } from '../base/errors.ts'
import { badRequest, isTacoError } from '../base/errors.ts'
import type { Bucket } from '../bucket/index.ts'
import { readDocument } from '../bucket/index.ts'
import type { StateDeps } from './deps.ts'
import { viewEvent } from './events.ts'
import { inBatches } from './history.ts'
import { SETTLE_MS } from './journal-writer.ts'
import { journalCursorAt, journalPrefix, parseJournalKey } from './layout.ts'
import { Event } from './model.ts'
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
  /** Handed out beyond that. */
  readonly seen: readonly string[]
}

const CursorText = z.tuple([z.string(), z.array(z.string())])
/** More would make cursors too long: then the reader gets the rest once they have settled. */
const MOST_SEEN = 200

export function createJournal({ bucket, clock, log }: StateDeps): Journal {
  async function read(query: EventQuery): ReturnType<Journal['read']> {
    const cursor =
      query.after === undefined ? { after: journalPrefix, seen: [] } : startOf(query.after, clock.now())
    const settledBefore = journalCursorAt(clock.now() - SETTLE_MS)
    const seen = new Set(cursor.seen)
    const keys: string[] = []
    let after = cursor.after
    let more = false
    scan: for await (const page of bucket.list(journalPrefix, { after: cursor.after })) {
      for (const { key } of page) {
        const record = parseJournalKey(key)
        const wanted = record !== undefined && !seen.has(record.ulid) && couldMatch(record, query)
        if (wanted && (keys.length === query.limit || (key >= settledBefore && seen.size >= MOST_SEEN))) {
          more = keys.length === query.limit
          break scan
        }
        if (wanted) keys.push(key)
        if (key < settledBefore) {
          after = key
          if (record !== undefined) seen.delete(record.ulid)
        } else if (wanted && record !== undefined) seen.add(record.ulid)
      }
    }
    const events = await readAll(keys)
    const items = events.filter((event) => matches(event, query)).map(viewEvent)
    return { items, next: encodeCursor({ after, seen: [...seen] }), more }
  }

  async function readAll(keys: readonly string[]): Promise<Event[]> {
    const events = new Map<string, Event>()
    await inBatches(keys, 32, async (key) => {
      const event = await readRecord(bucket, key)
      if (isTacoError(event)) log.error('a journal record cannot be read', { key, error: event.message })
      else if (event !== undefined) events.set(key, event)
    })
    return keys.flatMap((key) => events.get(key) ?? [])
  }

  return { read }
}

/** A record that cannot be read is given as its error: it must not hide those after it. */
export async function readRecord(bucket: Bucket, key: string): Promise<Event | TacoError | undefined> {
  try {
    return (await readDocument(bucket, key, Event))?.value
  } catch (error) {
    if (isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) return error
    throw error
  }
}

/** By the key alone: the rest needs the record. */
function couldMatch(record: { org: string; unit: string }, query: EventQuery): boolean {
  if (query.org !== undefined && record.org !== query.org) return false
  return query.unit === undefined || !isUnitId(query.unit) || record.unit === query.unit
}

function matches(event: Event, query: EventQuery): boolean {
  if (query.types !== undefined && query.types.length > 0 && !query.types.includes(event.type)) return false
  return query.unit === undefined || event.unit?.id === query.unit || event.unit?.name === query.unit
}

function startOf(text: string, now: number): Cursor {
  return text === 'now' ? { after: journalCursorAt(now), seen: [] } : decodeCursor(text)
}

function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify([cursor.after.slice(journalPrefix.length), cursor.seen])).toString(
    'base64url',
  )
}

function decodeCursor(text: string): Cursor {
  try {
    const [after, seen] = CursorText.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
    return { after: journalPrefix + after, seen }
  } catch {
    throw badRequest(
      'after',
      'this cursor is not one of ours',
      'leave it out to start from the beginning, or use "now"',
    )
  }
}
