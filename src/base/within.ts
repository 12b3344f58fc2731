import type { Clock } from './clock.ts'

/** What the work gives. Undefined: it takes longer than `ms`, and goes on without us. */
export async function within<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  const waiting = new AbortController()
  const late = clock.sleep(ms, waiting.signal).then(
    () => undefined,
    () => undefined,
  )
  try {
    return await Promise.race([work, late])
  } finally {
    waiting.abort()
  }
}
