import type { Clock } from '../../base/clock.ts'

/** How much is written at most within a window, whatever comes in. */
export interface CountRules {
  readonly windowMs: number
  /** Different ones that are written for one source; more of them are counted as one. */
  readonly perSource: number
  /** Different ones in all. */
  readonly most: number
}

export const defaultRules: CountRules = { windowMs: 60_000, perSource: 20, most: 200 }

/** Something that may come very often. */
export interface Sighting<T> {
  /** Equal for those that are counted together. */
  readonly same: string
  /** Where it comes from: nobody may use up the room of all others. */
  readonly source: string
  readonly value: T
}

export interface Tally<T> {
  /** The last of them. */
  readonly value: T
  readonly count: number
  /** `same`: like one that was written. `source`: different ones of one source. `all`: of many sources. */
  readonly of: 'same' | 'source' | 'all'
}

/** Decides what is written at once and what is only counted. Bounded in memory and in what it lets through. */
export interface Counter<T> {
  /** True: write it. False: it was counted. */
  see(sighting: Sighting<T>): boolean
  /** What was counted since the window began; the next window begins. */
  take(): readonly Tally<T>[]
  /** Milliseconds until `take` is due. Undefined: nothing was seen. */
  dueMs(): number | undefined
}

interface Counted<T> {
  value: T
  count: number
}

export function createCounter<T>(clock: Pick<Clock, 'now'>, rules: CountRules = defaultRules): Counter<T> {
  let startedAt: number | undefined
  const written = new Map<string, Counted<T>>()
  const writtenOf = new Map<string, number>()
  const sources = new Map<string, Counted<T>>()
  let rest: Counted<T> | undefined

  /** Counts it, where there is room for one more kind. */
  function add<K>(counts: Map<K, Counted<T>>, key: K, value: T): boolean {
    const known = counts.get(key)
    if (known === undefined) return false
    known.count++
    known.value = value
    return true
  }

  function see({ same, source, value }: Sighting<T>): boolean {
    startedAt ??= clock.now()
    if (add(written, same, value)) return false
    const already = writtenOf.get(source) ?? 0
    if (written.size < rules.most && already < rules.perSource) {
      written.set(same, { value, count: 0 })
      writtenOf.set(source, already + 1)
      return true
    }
    if (add(sources, source, value)) return false
    if (already > 0 && sources.size < rules.most) sources.set(source, { value, count: 1 })
    else rest = { value, count: (rest?.count ?? 0) + 1 }
    return false
  }

  return {
    see,
    take() {
      const tallies = [
        ...Array.from(written.values(), (one) => ({ ...one, of: 'same' as const })),
        ...Array.from(sources.values(), (one) => ({ ...one, of: 'source' as const })),
        ...(rest === undefined ? [] : [{ ...rest, of: 'all' as const }]),
      ]
      written.clear()
      writtenOf.clear()
      sources.clear()
      rest = undefined
      startedAt = undefined
      return tallies.filter(({ count }) => count > 0)
    },
    dueMs: () =>
      startedAt === undefined ? undefined : Math.max(0, startedAt + rules.windowMs - clock.now()),
  }
}
