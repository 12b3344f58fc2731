import type { Clock } from '../../base/clock.ts'

const KEPT_MS = 1_000

/** However many ask, and as often as they like: the bucket is asked once at a time, and not again for a second. */
export function createReadiness(ready: () => Promise<void>, clock: Clock): () => Promise<void> {
  let last: { readonly outcome: Promise<void>; endedAt: number } | undefined
  return () => {
    if (last !== undefined && clock.now() - last.endedAt < KEPT_MS) return last.outcome
    const asked = { outcome: ready(), endedAt: Infinity }
    const end = () => {
      asked.endedAt = clock.now()
    }
    asked.outcome.then(end, end)
    last = asked
    return asked.outcome
  }
}
