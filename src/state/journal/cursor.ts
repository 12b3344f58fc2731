import { z } from 'zod'
import { badRequest } from '../../base/errors.ts'
import { timeOfPlace } from '../documents/journal-layout.ts'

/**
 * Where a reader is, oldest first. Records sort by the time of their event, but may arrive a little out of order: another
 * server's clock, a slow write. So a cursor never passes what is younger than SETTLE_MS; it names the younger objects
 * that were handed out already instead. What arrives later than that is written again at a later place.
 */
export interface Cursor {
  /** Everything up to this place was handed out. */
  readonly after: string
  /** Handed out beyond that: objects by their ulid, with how many records where it was not all of them. */
  readonly seen: ReadonlyMap<string, number>
}

/** Where a reader is, newest first. */
export interface BackwardCursor {
  /** Everything from this place on was handed out. */
  readonly before: string
  /** But for this many first records of the object at that place. */
  readonly left: number
}

const Forward = z.tuple([z.string(), z.array(z.string().regex(/^[0-9A-Z]{26}(\+\d+)?$/))])
const Backward = z.tuple([z.literal('desc'), z.string(), z.int().min(0)])

export function encodeCursor({ after, seen }: Cursor): string {
  return encode([
    after,
    Array.from(seen, ([ulid, count]) => (count === Infinity ? ulid : `${ulid}+${count}`)),
  ])
}

export function decodeCursor(text: string): Cursor {
  const [after, names] = decode(text, Forward)
  const seen = names.map((name): [string, number] => {
    const [ulid = '', count] = name.split('+')
    return [ulid, count === undefined ? Infinity : Number(count)]
  })
  return { after, seen: new Map(seen) }
}

export function encodeBackward({ before, left }: BackwardCursor): string {
  return encode(['desc', before, left])
}

export function decodeBackward(text: string): BackwardCursor {
  const [, before, left] = decode(text, Backward)
  if (before !== '' && Number.isNaN(timeOfPlace(before))) throw notOurs()
  return { before, left }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode<T>(text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
  } catch {
    throw notOurs()
  }
}

function notOurs() {
  return badRequest(
    'after',
    'The cursor comes from another kind of query.',
    'Use the "next" of an earlier answer with the same order, leave it out to start, or use "now" to follow.',
  )
}
