/** Time enters through this, so that tests and the chaos scheduler decide what time it is. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortReason(signal))
      const onAbort = () => {
        clearTimeout(timer)
        reject(abortReason(signal))
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
}

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('aborted')
}

/** Less than `ms` ago. False for a future time: the clock was set back, and the age is unknown. */
export function isRecent(clock: Pick<Clock, 'now'>, at: number, ms: number): boolean {
  const age = clock.now() - at
  return age >= 0 && age < ms
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
