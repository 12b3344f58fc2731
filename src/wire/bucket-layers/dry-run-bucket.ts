import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { type Bucket, type Entry, compareKeys, conflict } from '../../bucket/index.ts'

/**
 * For a dry run: no change reaches the bucket. Writes stay in memory, where later reads find them, so that everything
 * behaves as it would.
 */
export function rehearsing(bucket: Bucket): Bucket {
  // By hash, so that no tag of ours is one that the bucket gave to other bytes; S3 gives the same to the same bytes.
  const written = openMemoryBucket({ contentHashTags: true })
  /** Keys that are in memory now, or were deleted here. */
  const touched = new Set<string>()

  const of = (key: string): Bucket => (touched.has(key) ? written : bucket)

  async function* list(prefix: string, options: Parameters<Bucket['list']>[1] = {}) {
    const ours: Entry[] = []
    for await (const page of written.list(prefix, options)) ours.push(...page)
    for await (const page of bucket.list(prefix, options)) {
      const last = page.at(-1)?.key ?? ''
      const later = ours.findIndex(({ key }) => compareKeys(key, last) > 0)
      const before = ours.splice(0, later === -1 ? ours.length : later)
      const entries = [...page.filter(({ key }) => !touched.has(key)), ...before]
      if (entries.length > 0) yield entries.toSorted((a, b) => compareKeys(a.key, b.key))
    }
    if (ours.length > 0) yield ours
  }

  return {
    kind: bucket.kind,
    label: bucket.label,
    can: bucket.can,
    // A lease would reach the bucket: locks of a rehearsal are objects, in memory like the rest.
    ...(bucket.locks === undefined || bucket.locks.leases !== undefined ? {} : { locks: bucket.locks }),
    get: ((key: string, options?: Parameters<Bucket['get']>[1]) =>
      of(key).get(key, options)) as Bucket['get'],
    head: (key, options) => of(key).head(key, options),
    async put(key, body, when, options) {
      if (touched.has(key)) return written.put(key, body, when, options)
      const tag = (await bucket.head(key, options))?.tag
      if (tag !== (when === 'absent' ? undefined : when)) return conflict
      touched.add(key)
      return written.put(key, body, 'absent', options)
    },
    async delete(key, when, options) {
      if (touched.has(key)) return written.delete(key, when, options)
      const tag = (await bucket.head(key, options))?.tag
      if (tag === undefined) return 'absent'
      if (tag !== when) return conflict
      touched.add(key)
      return 'deleted'
    },
    list,
    close: () => bucket.close(),
  }
}
