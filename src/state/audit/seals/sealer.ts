import { type Bucket, bodyOf } from '../../../bucket/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import { placeAt } from '../../documents/journal-layout.ts'
import type { StateDeps } from '../../settings.ts'
import { hashJournal, listJournal, listSeals, loadHead, loadSeal, placeOf } from './chain.ts'
import { headKey, sealKey } from './layout.ts'
import {
  type Head,
  type ReadSeal,
  type Seal,
  type Signer,
  checkHead,
  checkSeal,
  headText,
  sealText,
} from './seal.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Records come a little later than they happen, and clocks differ. */
const SETTLED_MS = 10 * 60_000
/** The head is moved with every seal: a number far beyond it was not given by a server. */
const MOST_AHEAD = 10_000
/** More of them make another seal. */
const MOST_OBJECTS = 10_000
/** Every seal looks for late objects this far back; once a day everything is looked at. */
const LATE_MS = 2 * DAY_MS

export interface Sealer {
  /** Seals the hours of a journal that are over. The number of its objects; 0: there was nothing to seal. */
  seal(org: string): Promise<number>
}

/** Where a chain ends, and so where it goes on. */
interface End {
  readonly seq: number
  readonly hash: string
  readonly to: string
}

const START: End = { seq: 0, hash: '', to: '' }

/**
 * Any number of servers may seal at once and be killed at any moment: a seal is created once under the next number, and
 * whoever comes second goes on from it.
 */
export function createSealer(
  { bucket, clock, log }: Pick<StateDeps, 'bucket' | 'clock' | 'log'>,
  signer: Signer | undefined,
  { mostObjects = MOST_OBJECTS }: { readonly mostObjects?: number } = {},
): Sealer {
  /** When all of a journal was last compared with its seals, by this process. */
  const comparedAt = new Map<string, number>()
  const sealedTo = new Map<string, string>()

  async function sealUpTo(org: string, to: string, now: number): Promise<number> {
    const isFull = now - (comparedAt.get(org) ?? 0) >= DAY_MS
    let end = await endOf(org)
    let late = await findLate(bucket, org, end, isFull ? '' : placeAt(now - LATE_MS))
    if (isFull) comparedAt.set(org, now)
    let count = 0
    // A server whose clock was ahead may have sealed more than is over: what is late for it is sealed all the same.
    while (end.to < to || late.length > 0) {
      const { places, upTo } = await nextPlaces(org, { from: end.to, to: end.to < to ? to : end.to })
      const lateNow = late.slice(0, mostObjects)
      if (places.length === 0 && lateNow.length === 0) return count
      const next = await makeSeal(org, end, { at: now, to: upTo, places, late: lateNow })
      const { text, hash } = sealText(next, signer)
      const put = await bucket.put(sealKey(org, next.seq), bodyOf(text), 'absent', JSON_TYPE)
      // Another server was faster. What it did not see is late, and comes into the next seal.
      if (put.kind === 'conflict') return count
      count += next.objects.length + next.late.length
      late = late.slice(mostObjects)
      end = { seq: next.seq, hash, to: upTo }
      await moveHead(org, end)
    }
    return count
  }

  async function makeSeal(
    org: string,
    { seq, hash, to: from }: End,
    span: { at: number; to: string; places: readonly string[]; late: readonly string[] },
  ): Promise<Seal> {
    const { at, to, places, late } = span
    const hashes = await hashJournal(bucket, org, [...places, ...late])
    const sealed = (of: readonly string[]) =>
      of.flatMap((place): [string, string][] => {
        const found = hashes.get(place)
        return found === undefined ? [] : [[place, found]]
      })
    const objects = sealed(places)
    return { v: 1, org, seq: seq + 1, at, previous: hash, from, to, objects, late: sealed(late) }
  }

  /** As many as fit into one seal, and how far they go. */
  async function nextPlaces(
    org: string,
    span: { readonly from: string; readonly to: string },
  ): Promise<{ readonly places: readonly string[]; readonly upTo: string }> {
    const places: string[] = []
    for await (const { key } of listJournal(bucket, org, span)) {
      // Sorts right after the last one.
      if (places.length === mostObjects) return { places, upTo: `${places.at(-1)}~` }
      places.push(placeOf(org, key))
    }
    return { places, upTo: span.to }
  }

  /** The newest seal, or what the head knows of a newer one: a chain that lost its end goes on behind it, so it shows. */
  async function endOf(org: string): Promise<End> {
    const head = await loadHead(bucket, org)
    const known = isTrusted(head) ? head : START
    const most = known.seq + (known === START ? Infinity : MOST_AHEAD)
    const last = (await listSeals(bucket, org, known.seq)).findLast((seq) => seq <= most)
    if (last === undefined) return known
    const newest = await loadSeal(bucket, org, last)
    if (!isSealOf(newest, last) || checkSeal(newest, signer) === 'bad') {
      log.error('a seal of the audit is damaged; see `taco audit verify`', { key: sealKey(org, last) })
      // Its span and hash are not known: it goes on from what is.
      return { ...known, seq: last }
    }
    const end = { seq: last, hash: newest.hash, to: newest.seal.to }
    await moveHead(org, end)
    return end
  }

  /** Only forward. A server that does not get to it leaves it to the next. */
  async function moveHead(org: string, end: End): Promise<void> {
    const key = headKey(org)
    const found = await bucket.head(key)
    const head = found === undefined ? undefined : await loadHead(bucket, org)
    if (isTrusted(head) && head.seq >= end.seq) return
    await bucket.put(key, bodyOf(headText(end, signer)), found?.tag ?? 'absent', JSON_TYPE)
  }

  /** A head without a signature counts only where there is no key: anyone who can write to the bucket can make one. */
  function isTrusted(head: Head | 'damaged' | undefined): head is Head {
    if (head === undefined || head === 'damaged') return false
    const signature = checkHead(head, signer)
    return signature !== 'bad' && (signature !== 'plain' || signer === undefined)
  }

  return {
    async seal(org) {
      const now = clock.now()
      const to = placeAt(Math.floor((now - SETTLED_MS) / HOUR_MS) * HOUR_MS)
      if ((sealedTo.get(org) ?? '') >= to) return 0
      try {
        const count = await sealUpTo(org, to, now)
        sealedTo.set(org, to)
        return count
      } catch (error) {
        // A read-only server leaves it to others.
        if (isTacoError(error, 'BUCKET_REFUSED')) return 0
        throw error
      }
    },
  }
}

const JSON_TYPE = { contentType: 'application/json' }

function isSealOf(read: ReadSeal | 'damaged' | undefined, seq: number): read is ReadSeal {
  return read !== undefined && read !== 'damaged' && read.seal.seq === seq
}

/**
 * Objects of spans that were sealed without them, from a place on. From the newest seal to the oldest: what a span lacks
 * is in a later one, so only that and one seal are in memory.
 */
async function findLate(bucket: Bucket, org: string, end: End, from: string): Promise<readonly string[]> {
  const known = new Set<string>()
  const late: string[] = []
  let upTo = end.to
  for (let { seq } = end; seq > 0 && upTo > from; seq--) {
    const read = await loadSeal(bucket, org, seq)
    if (read === undefined || read === 'damaged') continue
    const { objects, late: lateThen, from: start } = read.seal
    for (const [place] of lateThen) known.add(place)
    const sealed = new Set(objects.map(([place]) => place))
    for await (const { key } of listJournal(bucket, org, { from: start, to: upTo })) {
      const place = placeOf(org, key)
      if (!sealed.has(place) && !known.has(place)) late.push(place)
    }
    upTo = start
  }
  return late.toSorted()
}
