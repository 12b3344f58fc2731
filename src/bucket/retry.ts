import { TacoError } from '../base/errors.ts'
import type { Clock } from '../base/clock.ts'

export interface RetryRules {
  readonly attempts: number
  /** The longest pause before the second attempt; doubles each time. */
  readonly baseMs: number
  readonly maxMs: number
}

export const storeRetry: RetryRules = { attempts: 6, baseMs: 80, maxMs: 5_000 }

/** Says that trying again may help; `error` is what is thrown when no attempt is left. */
export class Again extends Error {
  readonly error: Error
  /** The store asked for this pause. */
  readonly afterMs: number | undefined

  constructor(error: Error, afterMs?: number) {
    super(error.message, { cause: error })
    this.error = error
    this.afterMs = afterMs
  }
}

export interface RetryOptions extends RetryRules {
  readonly clock: Clock
  readonly random?: () => number
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs `attempt` until it answers or throws something else than `Again`, at most `attempts` times. The pause
 * is anywhere between nothing and its bound, so that many clients that failed together do not come together again.
 */
export async function retry<T>(options: RetryOptions, attempt: (count: number) => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    throwIfAborted(options.signal)
    try {
      return await attempt(count)
    } catch (error) {
      throwIfAborted(options.signal)
      if (!(error instanceof Again)) throw error
      if (count >= options.attempts) throw error.error
      await pause(options, count, error.afterMs ?? 0)
    }
  }
}

async function pause(options: RetryOptions, count: number, atLeastMs: number): Promise<void> {
  const bound = Math.min(options.maxMs, options.baseMs * 2 ** (count - 1))
  const jitter = (options.random ?? Math.random)() * bound
  try {
    await options.clock.sleep(Math.min(options.maxMs, atLeastMs) + jitter, options.signal)
  } catch (error) {
    throwIfAborted(options.signal)
    throw error
  }
}

/** A caller that gave up gets its own reason back if it is one of ours, else CANCELLED. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  if (signal.reason instanceof TacoError) throw signal.reason
  throw new TacoError('CANCELLED', 'the request to the bucket was given up', { cause: signal.reason })
}
