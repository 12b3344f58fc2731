import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { type Bucket, bodyOf, type Entry, type Tag } from '../bucket/index.ts'
import { rolloutsEndedKey } from './layout.ts'

/** Below this number, reading each rollout is cheaper than reading or writing the index. */
const FEW = 20

const EndedObject = z.object({ v: z.literal(1), ended: z.array(z.tuple([z.string(), z.string()])) })

/**
 * Rollouts that are over and fully reported: by key, with the tag for which that is true. They pile up, and an old one
 * may have left a unit half applied. This one object saves every command from reading them all. It is a cache: losing
 * it costs time, nothing else.
 */
export function createEndedRollouts(bucket: Bucket) {
  const ended = new LRUCache<string, Tag>({ max: 50_000 })
  const loaded = new Set<string>()
  const added = new Map<string, number>()

  const open = (entries: readonly Entry[]) => entries.filter(({ key, tag }) => ended.get(key) !== tag)

  async function load(org: string): Promise<void> {
    loaded.add(org)
    try {
      const bytes = await (await bucket.get(rolloutsEndedKey(org)))?.bytes()
      if (bytes === undefined) return
      for (const [key, tag] of EndedObject.parse(JSON.parse(bytes.toString('utf8'))).ended)
        ended.set(key, tag as Tag)
    } catch {
      // Damaged, of another version, or not for us to read: then the rollouts themselves are read.
    }
  }

  return {
    /** Those that may still matter. */
    async openOnes(org: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
      const unknown = open(entries)
      if (unknown.length <= FEW || loaded.has(org)) return unknown
      await load(org)
      return open(entries)
    },
    add(org: string, { key, tag }: Pick<Entry, 'key' | 'tag'>): void {
      ended.set(key, tag)
      added.set(org, (added.get(org) ?? 0) + 1)
    },
    /** If there is enough to record. A server that cannot write, or comes second, leaves it to others. */
    async save(org: string, entries: readonly Entry[]): Promise<void> {
      if ((added.get(org) ?? 0) <= FEW) return
      added.delete(org)
      const known = entries.filter(({ key, tag }) => ended.get(key) === tag)
      const text = JSON.stringify({ v: 1, ended: known.map(({ key, tag }) => [key, tag]) })
      try {
        const present = await bucket.head(rolloutsEndedKey(org))
        await bucket.put(rolloutsEndedKey(org), bodyOf(text), present?.tag ?? 'absent')
      } catch {
        // The next one that comes by reads them once more.
      }
    },
  }
}
