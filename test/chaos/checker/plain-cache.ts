/** Replaces lru-cache, which allocates room for thousands of entries: a run of a few steps needs none of it. */
export class LRUCache<K, V> extends Map<K, V> {
  constructor(_options: unknown) {
    super()
  }
}
