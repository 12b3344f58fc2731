import type { Clock } from '../../../base/clock.ts'
import { TacoError } from '../../../base/errors.ts'
import { type AttemptRules, type FailedAttempts, createFailedAttempts } from './failed-attempts.ts'

export interface RateLimit {
  /** Counts one try of this address. RATE_LIMITED if there were too many. */
  take(address: string): void
}

/** Limits tries, right or wrong: each costs something. */
export function createRateLimit(clock: Clock, rules: AttemptRules): RateLimit {
  const attempts = createFailedAttempts(clock, rules)
  return {
    take(address) {
      refuseWaiting(attempts, address)
      attempts.failed(address)
    },
  }
}

/** RATE_LIMITED while the address has to wait. */
export function refuseWaiting(attempts: FailedAttempts, address: string): void {
  const retryAfterMs = attempts.waitMs(address)
  if (retryAfterMs === 0) return
  throw new TacoError('RATE_LIMITED', 'There were too many requests from this address.', {
    hint: 'Wait a moment and try again.',
    facts: { retryAfterMs },
  })
}
