import { TacoError } from './errors.ts'
import type { Clock } from './clock.ts'

export interface RetryRules {
  readonly attempts: number
  /** The longest pause before the second attempt; doubles each time. */
  readonly baseMs: number
  readonly maxMs: number
  /** No attempt begins later than this after the first one. */
  readonly giveUpMs?: number
}

export interface Patience {
  /** An attempt fails if nothing was sent or received for this long. */
  readonly idleTimeoutMs: number
  readonly retry: RetryRules
}

/** A request to a store that does not answer fails within this time, attempts and pauses included. */
const DEFAULT_DEADLINE_MS = 30_000

/** Three attempts at a store that hangs. As long as bytes move, a transfer may take as long as it takes. */
export function storePatience(deadlineMs = DEFAULT_DEADLINE_MS): Patience {
  const idleTimeoutMs = Math.ceil(deadlineMs / 3)
  return {
    idleTimeoutMs,
    retry: {
      attempts: 6,
      baseMs: 80,
      maxMs: Math.min(5_000, idleTimeoutMs / 4),
      giveUpMs: deadlineMs - idleTimeoutMs,
    },
  }
}

/** Trying again may help. `error` is thrown when no attempt is left. */
export class Again extends Error {
  readonly error: Error
  /** The pause that the store requested. */
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
 * Runs `attempt` until it returns or throws anything but `Again`, at most `attempts` times. The pause is random between
 * zero and its bound, so that clients that failed together do not retry together.
 */
export async function retry<T>(options: RetryOptions, attempt: (count: number) => Promise<T>): Promise<T> {
  const startedAt = options.clock.now()
  for (let count = 1; ; count++) {
    throwIfAborted(options.signal)
    try {
      return await attempt(count)
    } catch (error) {
      throwIfAborted(options.signal)
      if (!(error instanceof Again)) throw error
      if (count >= options.attempts) throw error.error
      await pause(options, count, error.afterMs ?? 0)
      if (options.clock.now() - startedAt > (options.giveUpMs ?? Infinity)) throw error.error
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
  throw new TacoError('CANCELLED', 'The request to the bucket was cancelled.', { cause: signal.reason })
}
