import type { Clock } from '../../src/base/clock.ts'

export interface SteppedClock extends Clock {
  /** Lets time pass: wakes what sleeps no longer than that, and waits until it has gone on. */
  pass(ms: number): Promise<void>
}

/** A clock that stands still until the test lets time pass. */
export function steppedClock(now = 1_000_000_000_000): SteppedClock {
  const sleeping = new Set<{ readonly until: number; wake(): void }>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const one = { until: now + ms, wake: resolve }
        const abort = () => {
          sleeping.delete(one)
          reject(new Error('aborted'))
        }
        if (signal?.aborted === true) return reject(new Error('aborted'))
        sleeping.add(one)
        signal?.addEventListener('abort', abort, { once: true })
      }),
    async pass(ms) {
      now += ms
      for (const one of [...sleeping].filter(({ until }) => until <= now)) {
        sleeping.delete(one)
        one.wake()
      }
      // Everything in memory takes a few turns of the loop at most.
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
