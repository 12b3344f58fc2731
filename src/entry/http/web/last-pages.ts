import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../base/clock.ts'

const MOST_BYTES = 32_000_000
const MOST_BYTES_OF_PAGE = 4_000_000
/** Someone may have lost their rights meanwhile. What they get is what they were shown before, and not for longer. */
const KEPT_MS = 3_600_000
/**
 * After a bucket did not answer, pages that are kept are shown at once, and not after another wait: at least for this
 * time, and for as long as the last request waited in vain.
 */
const DOWN_MS = { least: 2_000, most: 30_000 }

export interface LastPage {
  readonly html: string
  readonly at: number
}

/** What a server last showed to each browser, for the time in which the bucket does not answer. In memory only. */
export interface LastPages {
  keep(owner: string, path: string, html: string): void
  find(owner: string, path: string): LastPage | undefined
  /** The session is over, or its rights may be others. */
  forget(owner: string): void
  /** `waitedMs`: for how long a request waited for the bucket. */
  noteDown(waitedMs: number): void
  /** Whether the bucket did not answer a moment ago. */
  isDown(): boolean
}

interface Kept {
  readonly bytes: Buffer
  readonly at: number
}

export function createLastPages(clock: Pick<Clock, 'now'>): LastPages {
  const pages = new LRUCache<string, Kept>({
    maxSize: MOST_BYTES,
    maxEntrySize: MOST_BYTES_OF_PAGE,
    sizeCalculation: ({ bytes }) => bytes.byteLength + 500,
  })
  let downUntil = -Infinity
  const keyOf = (owner: string, path: string) => `${owner} ${path}`
  return {
    keep(owner, path, html) {
      downUntil = -Infinity
      pages.set(keyOf(owner, path), { bytes: Buffer.from(html), at: clock.now() })
    },
    find(owner, path) {
      const kept = pages.get(keyOf(owner, path))
      if (kept === undefined || clock.now() - kept.at > KEPT_MS) return undefined
      return { html: kept.bytes.toString(), at: kept.at }
    },
    forget(owner) {
      for (const key of pages.keys()) if (key.startsWith(`${owner} `)) pages.delete(key)
    },
    noteDown(waitedMs) {
      downUntil = clock.now() + Math.min(Math.max(waitedMs, DOWN_MS.least), DOWN_MS.most)
    },
    isDown: () => clock.now() < downUntil,
  }
}
