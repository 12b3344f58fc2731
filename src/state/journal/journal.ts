import { LRUCache } from 'lru-cache'
import { TacoError, isTacoError } from '../../base/errors.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import { placeAt, timeOfPlace } from '../documents/journal-layout.ts'
import type { Event } from '../documents/model.ts'
import { isUnitId } from '../documents/names.ts'
import type { StateDeps } from '../settings.ts'
import type { EventPage, EventQuery, Journal } from '../state-control.ts'
import type { OrgStore } from '../units/orgs.ts'
import type { BackwardCursor, Cursor } from './cursor.ts'
import { decodeBackward, decodeCursor } from './cursor.ts'
import { viewEvent } from './events.ts'
import { type Follower, createFollower } from './follower.ts'
import { readRecords } from './journal-records.ts'
import { SETTLE_MS } from './journal-writer.ts'
import type { Placed, Source } from './listing.ts'
import { LAST, ascending, descending, merged } from './listing.ts'
import type { Listed, Page, RecordPage, Wanted } from './page.ts'
import { backwardPage, forwardPage } from './page.ts'
import { createRoots } from './roots.ts'
import type { Tails } from './tail.ts'

/** What one answer costs at most, whatever the filters: objects read, and keys looked at. */
const MOST_READ = 2_000
const MOST_LISTED = { asc: 50_000, desc: 20_000 }
const RUN = 256
const RUN_LISTED = 10_000
/** Objects that one follower has just read and the others are about to. Each may hold a dozen events. */
const MOST_KEPT = 4_000
/** Retention counts in days, so a younger cursor points at nothing that was removed. */
const DAY_MS = 86_400_000

export interface JournalParts {
  readonly orgs: Pick<OrgStore, 'names' | 'current'>
  readonly tails: Tails
  /** Ids of the units that have this name, or had it when they were deleted. */
  readonly unitsNamed: (org: string, name: string) => Promise<readonly string[]>
}

/** The journal as it is stored, with what only the audit shows. */
export interface JournalRecords {
  /** Newest first, and only those that are selected. */
  records(
    query: Omit<EventQuery, 'types' | 'order'> & { readonly since?: number; readonly until?: number },
    select: (event: Event) => boolean,
  ): Promise<RecordPage>
  /** The place up to which retention has removed the events of an organization. */
  prunedOf(org: string): Promise<string>
}

/** An object is placed at the time of its writing, which is a little later than its events. */
const WRITTEN_WITHIN_MS = 60_000

type ReadObject = (at: Placed) => Promise<readonly Event[] | undefined>

export function createJournal(
  deps: StateDeps,
  { orgs, tails, unitsNamed }: JournalParts,
): Journal & JournalRecords & Pick<Follower, 'wrote'> {
  const { bucket, clock, log } = deps
  const rootsOf = createRoots(deps, orgs)
  const follower = createFollower(deps, tails, rootsOf)
  const kept = new LRUCache<string, Promise<readonly Event[] | undefined>>({ max: MOST_KEPT })

  async function read(query: EventQuery): Promise<EventPage> {
    if (query.order === 'desc') return viewPage(await readBackward(query))
    const { orgs: names, prefixes, asOf } = await rootsOf(query.org)
    const cursor = startOf(query.after, clock.now())
    const page = forwardPage(cursor, await wantedBy(query, names), placeAt(asOf - SETTLE_MS))
    const sources = prefixes.map((root) => ({ root, stretches: ascending(bucket, root, cursor.after) }))
    await fillPage(page, merged(sources, 'asc'), { readObject, mostListed: MOST_LISTED.asc })
    await refuseIfPruned(query, cursor, names)
    return viewPage(page.answer())
  }

  async function readBackward(
    query: EventQuery & Pick<Wanted, 'select'> & { readonly since?: number; readonly until?: number },
  ): Promise<RecordPage> {
    const { orgs: names, prefixes, asOf } = await rootsOf(query.org)
    const cursor = query.after === undefined ? undefined : decodeBackward(query.after)
    const page = backwardPage(cursor, await wantedBy(query, names), placeAt(asOf - SETTLE_MS))
    const { since = 0, until = Infinity } = query
    const end = until + WRITTEN_WITHIN_MS < asOf ? placeAt(until + WRITTEN_WITHIN_MS) : undefined
    const span = { before: endOf(cursor) ?? end, now: asOf }
    const sources = prefixes.map((root) => ({ root, stretches: descending(bucket, root, span) }))
    const runs = merged(cursor?.before === '' ? [] : sources, 'desc')
    // The audit shows what is in the bucket now, and not what was.
    const reader = query.select === undefined ? readOnce : readObject
    await fillPage(page, notBefore(runs, placeAt(since)), {
      readObject: reader,
      mostListed: MOST_LISTED.desc,
    })
    return page.answer()
  }

  async function* follow(query: EventQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    const following = await follower.join(query.org)
    try {
      let cursor = startOf(query.after, clock.now())
      const wanted = await wantedBy(query, following.roots().orgs)
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const { orgs: names, prefixes, asOf: rootsAsOf } = following.roots()
        let asOf = Math.min(rootsAsOf, clock.now())
        const sources = prefixes.map((root): Source => {
          const recent = tails(root).after(cursor.after)
          if (recent === undefined) return { root, stretches: ascending(bucket, root, cursor.after) }
          asOf = Math.min(asOf, recent.asOf)
          return { root, stretches: inMemory(recent.places) }
        })
        const page = forwardPage(cursor, wanted, placeAt(asOf - SETTLE_MS))
        await fillPage(page, merged(sources, 'asc'), { readObject: readOnce, mostListed: MOST_LISTED.asc })
        if (isFirst) await refuseIfPruned(query, cursor, names)
        const answer = viewPage(page.answer())
        yield answer
        cursor = decodeCursor(answer.next)
        if (!answer.more) await following.next(signal)
      }
    } finally {
      following.leave()
    }
  }

  async function wantedBy(query: EventQuery, names: readonly string[]): Promise<Wanted> {
    const { unit } = query
    if (unit === undefined) return query
    if (isUnitId(unit)) return { ...query, unitIds: new Set([unit]) }
    const [org] = names
    // By the names in the records it would be read object by object.
    const ids = org === undefined || names.length > 1 ? [] : await unitsNamed(org, unit)
    return ids.length === 0 ? query : { ...query, unitIds: new Set(ids) }
  }

  async function readObject({ root, place }: Placed): Promise<readonly Event[] | undefined> {
    const records = await readRecords(bucket, root + place)
    if (!isTacoError(records)) return records
    log.error('a journal record cannot be read', { key: root + place, error: records.message })
    return undefined
  }

  function readOnce(at: Placed): Promise<readonly Event[] | undefined> {
    const key = at.root + at.place
    const known = kept.get(key)
    if (known !== undefined) return known
    const reading = readObject(at)
    kept.set(key, reading)
    reading.then(
      (records) => records ?? kept.delete(key),
      () => kept.delete(key),
    )
    return reading
  }

  /** After the listing: what is removed is marked as such before it goes. */
  async function refuseIfPruned(
    { after }: EventQuery,
    cursor: Cursor,
    names: readonly string[],
  ): Promise<void> {
    if (after === undefined || clock.now() - timeOfPlace(cursor.after) < DAY_MS) return
    for (const name of names) {
      if (cursor.after >= (await prunedOf(name))) continue
      throw new TacoError('GONE', `The events after this cursor were removed by the retention of ${name}.`, {
        facts: { field: 'after', org: name },
        hint: 'Leave the cursor out to start with the oldest event that is left, or use "now" to follow.',
      })
    }
  }

  /** A damaged organization must not hide the events of the others; nothing of it is removed either. */
  async function prunedOf(org: string): Promise<string> {
    try {
      return (await orgs.current(org)).eventsPruned ?? ''
    } catch (error) {
      if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER', 'NOT_FOUND')) throw error
      return ''
    }
  }

  return {
    read,
    follow,
    prunedOf,
    wrote: follower.wrote,
    records: (query, select) => readBackward({ ...query, select }),
  }
}

async function* notBefore(
  runs: AsyncIterable<readonly Placed[]>,
  first: string,
): AsyncGenerator<readonly Placed[]> {
  for await (const run of runs) {
    const end = run.findIndex(({ place }) => place < first)
    yield end === -1 ? run : run.slice(0, end)
    if (end !== -1) return
  }
}

function viewPage(page: RecordPage): EventPage {
  return { ...page, items: page.items.map(viewEvent) }
}

async function fillPage(
  page: Page,
  runs: AsyncIterable<readonly Placed[]>,
  { readObject, mostListed }: { readonly readObject: ReadObject; readonly mostListed: number },
): Promise<void> {
  let [listed, candidates] = [0, 0]
  for await (const entries of runs) {
    for (let at = 0; at < entries.length;) {
      const ahead = page.readAhead()
      const run = runFrom(entries, at, page, ahead)
      const wanted = ahead === 0 ? [] : run.filter(({ isCandidate }) => isCandidate)
      const records = new Map<Listed, readonly Event[] | undefined>()
      await forEachLimit(wanted, 32, async (one) => void records.set(one, await readObject(one.at)))
      for (const one of run) if (!page.take(one, records.get(one))) return
      at += run.length
      listed += run.length
      candidates += wanted.length
      if (candidates >= MOST_READ || listed >= mostListed) return page.stop()
    }
  }
  page.finish()
}

/** The next objects of a listing that are looked at together: as many as could fill the page. */
function runFrom(entries: readonly Placed[], start: number, page: Page, ahead: number): Listed[] {
  const run: Listed[] = []
  let left = ahead === 0 ? RUN : ahead
  for (const at of entries.slice(start, start + RUN_LISTED)) {
    if (left === 0) break
    const one = page.look(at)
    run.push(one)
    if (one.isCandidate) left--
  }
  return run
}

async function* inMemory(places: readonly string[]) {
  yield { places, upTo: LAST }
}

function startOf(after: string | undefined, now: number): Cursor {
  if (after === undefined || after === 'now')
    return { after: after === undefined ? '' : placeAt(now), seen: new Map() }
  return decodeCursor(after)
}

/** The object in which the last page ended is listed once more. */
function endOf(cursor: BackwardCursor | undefined): string | undefined {
  if (cursor === undefined) return undefined
  return cursor.left > 0 ? cursor.before + LAST : cursor.before
}
