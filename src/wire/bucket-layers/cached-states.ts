import { LRUCache } from 'lru-cache'
import type { Bucket, Found, GetOptions, Held } from '../../bucket/index.ts'

const MAX_BYTES = 32 * 2 ** 20
const LARGEST = 256 * 1024

/**
 * Keeps the bytes of small states. Every read still asks the bucket whether the object has their tag, so an answer is
 * never older than one without this cache. It saves fetching and allocating them again.
 */
export function withCachedStates(bucket: Bucket, maxBytes: number = MAX_BYTES): Bucket {
  const kept = new LRUCache<string, Kept>({ maxSize: maxBytes, sizeCalculation: ({ size }) => size + 500 })

  async function keep(key: string, found: Found | undefined): Promise<Found | undefined> {
    if (found === undefined || found.size > LARGEST) {
      kept.delete(key)
      return found
    }
    const isCurrent = bucket.confirmer?.(key, found.tag)
    const inMemory = readableAgain(found, await found.bytes(), isCurrent)
    kept.set(key, inMemory)
    return inMemory
  }

  async function getState(key: string, options: GetOptions): Promise<Found | undefined> {
    const known = kept.get(key)
    if (known === undefined) return keep(key, await bucket.get(key, options))
    const answer = await bucket.get(key, { ...options, ifNoneMatch: known.tag })
    return answer === 'unchanged' ? known : keep(key, answer)
  }

  function get(key: string, options: GetOptions = {}) {
    const isWhole = options.range === undefined && options.ifNoneMatch === undefined
    if (!isWhole || key.startsWith('.taco/') || key.endsWith('.tflock')) return bucket.get(key, options)
    return getState(key, options)
  }

  function atHand(key: string): Held | undefined {
    const known = kept.get(key)
    return known?.isCurrent?.() === true ? known : undefined
  }
  return Object.assign(Object.create(bucket) as Bucket, { get, atHand })
}

interface Kept extends Found, Held {
  readonly isCurrent: (() => boolean | Promise<boolean>) | undefined
}

function readableAgain(
  { key, tag, size, modifiedAt }: Found,
  content: Buffer,
  isCurrent: Kept['isCurrent'],
): Kept {
  return {
    key,
    tag,
    size,
    modifiedAt,
    content,
    isCurrent,
    bytes: () => Promise.resolve(content),
    async *stream() {
      yield content
    },
    discard() {},
  }
}
