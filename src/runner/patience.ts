import type { Clock } from '../base/clock.ts'
import { Again, retry } from '../base/retry.ts'

export interface Patience {
  readonly clock: Clock
  readonly forMs: number
  /** The longest pause between two attempts. */
  readonly everyMs: number
  /** Whether to wait for this failure to pass. */
  mayPass(error: Error): boolean
  /** Called at the first failure, and again when the reason changes. */
  onWait?(error: Error): void
}

/** Repeats a call that failed for a reason that passes by itself, as a rule. */
export function patiently<T>(patience: Patience, call: () => Promise<T>): Promise<T> {
  const { clock, forMs, everyMs } = patience
  const until = clock.now() + forMs
  let told: string | undefined
  return retry({ clock, attempts: Infinity, baseMs: everyMs, maxMs: everyMs, giveUpMs: forMs }, async () => {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof Error) || clock.now() >= until || !patience.mayPass(error)) throw error
      if (error.message !== told) patience.onWait?.(error)
      told = error.message
      throw new Again(error)
    }
  })
}

/**
 * Starts `work` every so often, until the returned function is called. One that hangs does not hold up the next; one
 * that fails must say so itself.
 */
export function repeatEvery(clock: Clock, everyMs: number, work: () => Promise<void>): () => void {
  const stopped = new AbortController()
  async function loop(): Promise<void> {
    for (;;) {
      await clock.sleep(everyMs, stopped.signal)
      void work()
    }
  }
  loop().catch(() => {
    // Stopped.
  })
  return () => stopped.abort()
}
