import { forEachLimit } from '../../base/for-each-limit.ts'
import type { Bucket } from '../../bucket/index.ts'
import { placeAt, timeOfPlace } from '../documents/journal-layout.ts'

/** Some places of one journal, in order, and how far they are complete. */
export interface Stretch {
  readonly places: readonly string[]
  /** Nothing else is before this, in the order of the listing. */
  readonly upTo: string
}

export interface Source {
  readonly root: string
  readonly stretches: AsyncIterable<Stretch>
}

/** A journal object by its journal and its place in it. */
export interface Placed {
  readonly root: string
  readonly place: string
}

export type Order = 'asc' | 'desc'

/** After and before every place. */
export const LAST = '~'
const FIRST = ''

/** Oldest first. */
export async function* ascending(bucket: Bucket, root: string, after: string): AsyncGenerator<Stretch> {
  for await (const page of bucket.list(root, { after: root + after })) {
    const places = page.map(({ key }) => key.slice(root.length))
    yield { places, upTo: places.at(-1) ?? after }
  }
}

/** Stores list forwards only, so reading backwards looks at one span of time after the other. */
const FIRST_SPAN_MS = 15 * 60_000
const LEAST_SPAN_MS = 1_000
/** A span without objects is followed by one that is this much longer; one with too many is tried again, shorter. */
const FACTOR = 4
const PAGE = 1_000

/** Newest first, what is before `before`; everything if undefined. A few requests, however old or large the journal is. */
export async function* descending(
  bucket: Bucket,
  root: string,
  { before, now }: { readonly before: string | undefined; readonly now: number },
): AsyncGenerator<Stretch> {
  let end = before
  let endAt = before === undefined ? now : timeOfPlace(before)
  let spanMs = FIRST_SPAN_MS
  let oldest: string | undefined
  for (;;) {
    const startAt = Math.max(0, endAt - spanMs)
    const start = placeAt(startAt)
    const places = await listSpan(bucket, root, { start, end, isShortest: spanMs <= LEAST_SPAN_MS })
    if (places === undefined) {
      spanMs = Math.max(LEAST_SPAN_MS, spanMs / FACTOR)
      continue
    }
    if (places.length === 0) oldest ??= (await oldestPlace(bucket, root)) ?? LAST
    const isEnd = startAt === 0 || (oldest !== undefined && start <= oldest)
    yield { places: places.toReversed(), upTo: isEnd ? FIRST : start }
    if (isEnd) return
    end = start
    endAt = startAt
    const change = places.length === 0 ? FACTOR : PAGE / 2 / places.length
    spanMs = Math.max(LEAST_SPAN_MS, spanMs * Math.min(change, FACTOR))
  }
}

/** Undefined: there is more than one page, and a shorter span would do. */
async function listSpan(
  bucket: Bucket,
  root: string,
  span: { readonly start: string; readonly end: string | undefined; readonly isShortest: boolean },
): Promise<string[] | undefined> {
  const places: string[] = []
  for await (const page of bucket.list(root, { after: root + span.start, pageSize: PAGE })) {
    for (const { key } of page) {
      const place = key.slice(root.length)
      if (span.end !== undefined && place >= span.end) return places
      places.push(place)
    }
    if (page.length >= PAGE && !span.isShortest) return undefined
  }
  return places
}

async function oldestPlace(bucket: Bucket, root: string): Promise<string | undefined> {
  for await (const [first] of bucket.list(root, { pageSize: 1 })) return first?.key.slice(root.length)
  return undefined
}

interface Open {
  readonly root: string
  readonly stretches: AsyncIterator<Stretch>
  places: readonly string[]
  upTo: string
}

/**
 * Several journals as one. No journal is read further than the answer needs. An object that was written to two of them
 * is given once.
 */
export async function* merged(sources: readonly Source[], order: Order): AsyncGenerator<readonly Placed[]> {
  const isBefore = order === 'asc' ? isLess : (a: string, b: string) => isLess(b, a)
  const end = order === 'asc' ? LAST : FIRST
  const open = sources.map(({ root, stretches }): Open => {
    const start = order === 'asc' ? FIRST : LAST
    return { root, stretches: stretches[Symbol.asyncIterator](), places: [], upTo: start }
  })
  try {
    for (let bound: string | undefined; bound !== end;) {
      await forEachLimit(
        open.filter(({ upTo }) => bound === undefined || upTo === bound),
        32,
        (one) => advance(one, end),
      )
      bound = open.map(({ upTo }) => upTo).reduce((a, b) => (isBefore(b, a) ? b : a), end)
      const run = open.flatMap((one) => takeUpTo(one, bound ?? end, isBefore))
      if (open.length > 1) run.sort((a, b) => (isBefore(a.place, b.place) ? -1 : 1))
      if (run.length > 0) yield run.filter(({ place }, i) => place !== run[i - 1]?.place)
    }
  } finally {
    for (const { stretches } of open) await stretches.return?.()
  }
}

async function advance(one: Open, end: string): Promise<void> {
  const next = await one.stretches.next()
  if (next.done === true) one.upTo = end
  else {
    one.places = [...one.places, ...next.value.places]
    one.upTo = next.value.upTo
  }
}

function takeUpTo(one: Open, bound: string, isBefore: (a: string, b: string) => boolean): Placed[] {
  const beyond = one.places.findIndex((place) => isBefore(bound, place))
  const taken = beyond === -1 ? one.places : one.places.slice(0, beyond)
  one.places = one.places.slice(taken.length)
  return taken.map((place) => ({ root: one.root, place }))
}

function isLess(a: string, b: string): boolean {
  return a < b
}
