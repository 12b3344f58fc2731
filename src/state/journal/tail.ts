import { LRUCache } from 'lru-cache'
import { isRecent } from '../../base/clock.ts'
import { placeAt } from '../documents/journal-layout.ts'
import type { StateDeps } from '../settings.ts'
import { SETTLE_MS } from './journal-writer.ts'

/**
 * The newest part of one journal in memory, for everybody in this process who follows it. What is younger than SETTLE_MS
 * is listed again each time, because objects may still come between those that are there.
 */
export interface Tail {
  /** Lists what came. A listing that began less than `ms` ago will do; 0: one that begins now. */
  refresh(ms: number): Promise<void>
  /** What is after a place, and since when others may have written more. Undefined: memory does not reach back that far. */
  after(place: string): { readonly places: readonly string[]; readonly asOf: number } | undefined
  /** Nothing was written for a while. */
  isQuiet(): boolean
}

/** By the prefix of the journal. */
export type Tails = (root: string) => Tail

/** Those who are slower than this read from the bucket again. */
const KEEP_MS = 30_000
const MOST_PLACES = 5_000
const QUIET_MS = 60_000
/** A journal that was not followed for this long is followed from the start again. */
const FORGET_MS = 60_000
/** One that is quiet takes next to no memory. */
const MOST_TAILS = 4_096

export function createTails(deps: Pick<StateDeps, 'bucket' | 'clock'>): Tails {
  const tails = new LRUCache<string, Tail>({ max: MOST_TAILS })
  return (root) => {
    const known = tails.get(root)
    if (known !== undefined) return known
    const tail = createTail(deps, root)
    tails.set(root, tail)
    return tail
  }
}

function createTail({ bucket, clock }: Pick<StateDeps, 'bucket' | 'clock'>, root: string): Tail {
  /** In order; complete after `floor`. */
  let places: readonly string[] = []
  let floor = ''
  let listedAt = 0
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function list(): Promise<void> {
    const startedAt = clock.now()
    const isFollowed = isRecent(clock, listedAt, FORGET_MS)
    // The cursors of those who join are a little older, because they also depend on other journals.
    const settled = placeAt(isFollowed ? listedAt - SETTLE_MS : startedAt - 2 * SETTLE_MS)
    const from = isFollowed && floor > settled ? floor : settled
    const fresh: string[] = []
    for await (const page of bucket.list(root, { after: root + from }))
      for (const { key } of page) fresh.push(key.slice(root.length))
    if (!isFollowed) floor = from
    const kept = isFollowed ? places.slice(0, firstAfter(places, from)) : []
    places = [...kept, ...fresh]
    listedAt = startedAt
    forget(placeAt(startedAt - SETTLE_MS - KEEP_MS))
  }

  function forget(before: string): void {
    const count = Math.max(firstAfter(places, before), places.length - MOST_PLACES)
    const isSettled = (place: string) => place < placeAt(listedAt - SETTLE_MS)
    const last = places[count - 1]
    if (before > floor) floor = before
    if (last === undefined || !isSettled(last)) return
    if (last > floor) floor = last
    places = places.slice(count)
  }

  function start(): Promise<void> {
    next = undefined
    running = list().finally(() => (running = undefined))
    return running
  }

  return {
    async refresh(ms) {
      if (isRecent(clock, listedAt, ms)) return
      // One that is under way may have begun before what the caller must see.
      if (running === undefined) return start()
      return (next ??= running.then(start, start))
    },
    after(place) {
      if (place < floor || listedAt === 0) return undefined
      return { places: places.slice(firstAfter(places, place)), asOf: listedAt }
    },
    isQuiet: () => (places.at(-1) ?? '') < placeAt(clock.now() - QUIET_MS),
  }
}

/** The index of the first place after this one. */
function firstAfter(places: readonly string[], place: string): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] ?? '') > place) high = middle
    else low = middle + 1
  }
  return low
}
