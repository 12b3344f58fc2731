import type { JournalObject } from '../documents/journal-layout.ts'
import { parseJournalKey } from '../documents/journal-layout.ts'
import type { Event } from '../documents/model.ts'
import type { EventPage, EventQuery } from '../state-control.ts'
import type { BackwardCursor, Cursor } from './cursor.ts'
import { encodeBackward, encodeCursor } from './cursor.ts'
import { isForAuditOnly } from '../audit/model.ts'
import type { Placed } from './listing.ts'

/** More would make cursors too long: then the reader gets the rest once they have settled. */
const MOST_SEEN = 200
const READ_AT_ONCE = 256
/** If only the record itself shows whether it matches, records are not read one by one for a small page. */
const LEAST_READ_AT_ONCE = 32

/** What is asked for, as far as the keys of the journal tell and beyond. */
export interface Wanted extends Pick<EventQuery, 'org' | 'unit' | 'types' | 'limit'> {
  /** Instead of everything that is not for the audit alone. */
  readonly select?: ((event: Event) => boolean) | undefined
  /** Ids of the units that `unit` may mean. Undefined: only the records tell. */
  readonly unitIds?: ReadonlySet<string> | undefined
}

export interface Listed {
  readonly at: Placed
  readonly object: JournalObject | undefined
  /** The records that were not handed out before: from the first to before the second. */
  readonly from: number
  readonly to: number
  /** By its key, at least one of them could be wanted. */
  readonly isCandidate: boolean
}

/** What is handed out, and how far the cursor gets with it. */
export interface Page {
  look(at: Placed): Listed
  /** How many candidates are worth reading at once; 0: only their keys are of interest. */
  readAhead(): number
  /** False: the page ends before or in this object. */
  take(listed: Listed, records: readonly Event[] | undefined): boolean
  /** The answer has cost enough. */
  stop(): void
  /** Everything that is in the journal was looked at. */
  finish(): void
  answer(): RecordPage
}

/** As the journal holds them; the rest as in `EventPage`. */
export interface RecordPage extends Omit<EventPage, 'items'> {
  readonly items: readonly Event[]
}

export function forwardPage(cursor: Cursor, wanted: Wanted, settledBefore: string): Page {
  const seen = new Map<string, number>(cursor.seen)
  const items: Event[] = []
  let { after } = cursor
  let more = false

  /** Where in the object the page is full: the first record beyond it that could be wanted, or the end. */
  function fill({ org, units }: JournalObject, from: number, records: readonly Event[]): number {
    for (let to = from; to < units.length; to++) {
      if (!couldMatch(org, units[to], wanted)) continue
      if (items.length === wanted.limit) return to
      const event = records[to]
      if (event !== undefined && matches(event, wanted)) items.push(event)
    }
    return units.length
  }

  /** Also where nothing happens for long the cursor stays young: it points at nothing that retention removed. */
  function passSettled(): void {
    if (settledBefore > after) after = settledBefore
  }

  return {
    look(at) {
      const object = parseJournalKey(at.place)
      return listed(at, object, wanted, [seen.get(object?.ulid ?? '') ?? 0, Infinity])
    },
    readAhead: () => readAhead(wanted, items.length),
    take({ at: { place }, object, from, isCandidate }, records = []) {
      const isSettled = place < settledBefore
      if (!isSettled) passSettled()
      if (object !== undefined && isCandidate) {
        const { ulid, units } = object
        const before = items.length
        const isFull = !isSettled && !seen.has(ulid) && seen.size >= MOST_SEEN
        // Which records it has would not fit into the cursor; those that are not wanted need not.
        if (isFull && records.slice(from).some((event) => matches(event, wanted))) return false
        const to = fill(object, from, records)
        if (to < units.length) {
          if (to > from) seen.set(ulid, to)
          more = true
          return false
        }
        if (!isSettled && (items.length > before || !isFull)) seen.set(ulid, Infinity)
      }
      if (isSettled) {
        if (object !== undefined) seen.delete(object.ulid)
        after = place
      }
      return true
    },
    stop() {
      // A cursor does not move past what is not settled: the next request would get the same answer.
      more = after > cursor.after
    },
    finish: passSettled,
    answer: () => ({ items, next: encodeCursor({ after, seen }), more }),
  }
}

export function backwardPage(
  cursor: BackwardCursor | undefined,
  wanted: Wanted,
  settledBefore: string,
): Page {
  /** Where those go on who want to know what comes after this answer. */
  const seen = new Map<string, number>()
  const items: Event[] = []
  let next: BackwardCursor = cursor ?? { before: '', left: 0 }
  let more = true
  /** Something that could be wanted did not fit. */
  let isCut = false
  const isFull = () => items.length === wanted.limit

  return {
    look(at) {
      const object = parseJournalKey(at.place)
      const isPart = cursor?.before === at.place
      return listed(at, object, wanted, [0, isPart ? cursor.left : Infinity])
    },
    readAhead: () => (isFull() ? 0 : readAhead(wanted, items.length)),
    take({ at: { place }, object, to, isCandidate }, records = []) {
      const isSettled = place < settledBefore
      if (object !== undefined && isCandidate) {
        if (!isSettled && seen.size < MOST_SEEN) seen.set(object.ulid, Infinity)
        for (let i = to - 1; i >= 0; i--) {
          if (!couldMatch(object.org, object.units[i], wanted)) continue
          if (isFull()) {
            isCut = true
            break
          }
          const event = records[i]
          if (event !== undefined && matches(event, wanted)) items.push(event)
          next = { before: place, left: i }
        }
      }
      if (!isFull()) next = { before: place, left: 0 }
      // What is not settled is listed to its end, so that those who go on from here get none of it again.
      return !isFull() || (!isSettled && cursor === undefined)
    },
    stop() {},
    finish() {
      more = isCut
    },
    answer: () => ({
      items,
      next: encodeBackward(next),
      more,
      ...(cursor === undefined ? { latest: encodeCursor({ after: settledBefore, seen }) } : {}),
    }),
  }
}

function listed(
  at: Placed,
  object: JournalObject | undefined,
  wanted: Wanted,
  [from, to]: readonly [number, number],
): Listed {
  if (object === undefined) return { at, object, from: 0, to: 0, isCandidate: false }
  const { org, units } = object
  const start = Math.min(from, units.length)
  const end = Math.min(to, units.length)
  const isCandidate = units.slice(start, end).some((unit) => couldMatch(org, unit, wanted))
  return { at, object, from: start, to: end, isCandidate }
}

function readAhead(wanted: Wanted, found: number): number {
  const isExact =
    wanted.select === undefined &&
    (wanted.types ?? []).length === 0 &&
    (wanted.unit === undefined || wanted.unitIds !== undefined)
  return Math.min(Math.max(wanted.limit - found, isExact ? 1 : LEAST_READ_AT_ONCE), READ_AT_ONCE)
}

/** By the key alone: the rest needs the record. */
function couldMatch(org: string, unit: string | undefined, wanted: Wanted): boolean {
  if (wanted.org !== undefined && org !== wanted.org) return false
  return wanted.unitIds === undefined || wanted.unitIds.has(unit ?? '')
}

function matches(event: Event, { types = [], unit, unitIds, select }: Wanted): boolean {
  if (select === undefined ? isForAuditOnly(event.type) : !select(event)) return false
  if (types.length > 0 && !types.some((type) => type === event.type)) return false
  if (unitIds !== undefined) return unitIds.has(event.unit?.id ?? '')
  return unit === undefined || event.unit?.name === unit
}
