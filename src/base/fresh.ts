import { LRUCache } from 'lru-cache'
import { type Clock, isRecent } from './clock.ts'

/** Values that may be a little old. */
export interface Fresh<K, V> {
  /** At once if it was read a moment ago; otherwise it is read again. */
  get(key: K): V | Promise<V>
  /** Like `get`, without reading anything: undefined if it was not read a moment ago. */
  peek(key: K): V | undefined
  /** The next `get` reads it again: something here changed it. */
  forget(key: K): void
}

export interface FreshOptions<K, V> {
  readonly clock: Pick<Clock, 'now'>
  /** A value that is older than this is read again. */
  readonly forMs: number
  /** How many are kept. */
  readonly most: number
  readonly keyOf: (key: K) => string
  readonly read: (key: K) => Promise<V>
}

/**
 * Bounds how long a server goes by what another one has changed since. Requests for one value share one reading, and a
 * reading that fails is not kept: every caller sees the failure. The age counts from the start of the reading.
 */
export function createFresh<K, V>({ clock, forMs, most, keyOf, read }: FreshOptions<K, V>): Fresh<K, V> {
  interface Reading {
    readonly at: number
    value?: V
    underWay?: Promise<V>
  }
  const readings = new LRUCache<string, Reading>({ max: most })

  async function load(key: K, id: string, reading: Reading): Promise<V> {
    try {
      reading.value = await read(key)
      return reading.value
    } catch (error) {
      if (readings.peek(id) === reading) readings.delete(id)
      throw error
    } finally {
      delete reading.underWay
    }
  }

  function recent(id: string): Reading | undefined {
    const found = readings.get(id)
    return found !== undefined && isRecent(clock, found.at, forMs) ? found : undefined
  }

  return {
    peek: (key) => recent(keyOf(key))?.value,
    get(key) {
      const id = keyOf(key)
      const found = recent(id)
      if (found !== undefined) return found.underWay ?? (found.value as V)
      const reading: Reading = { at: clock.now() }
      readings.set(id, reading)
      return (reading.underWay = load(key, id, reading))
    },
    forget: (key) => void readings.delete(keyOf(key)),
  }
}
