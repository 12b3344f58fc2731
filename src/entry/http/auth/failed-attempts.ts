import type { Clock } from '../../../base/clock.ts'
import { callerNetwork } from './client-address.ts'

export interface FailedAttempts {
  /** Milliseconds until a caller may try again; 0: at once. */
  waitMs(address: string): number
  /** How many more a caller may get wrong before it has to wait. */
  left(address: string): number
  /** Counts one. True: this was the last before the caller has to wait. */
  failed(address: string): boolean
}

export interface AttemptRules {
  readonly burst: number
  readonly perSecond: number
  readonly callers: number
}

const defaultRules: AttemptRules = { burst: 20, perSecond: 1 / 3, callers: 10_000 }

/** A token bucket for each caller. What comes while a caller has to wait is not looked at, so it does not count either. */
export function createFailedAttempts(clock: Clock, rules: AttemptRules = defaultRules): FailedAttempts {
  const left = new Map<string, { tokens: number; at: number }>()

  function tokensNow(entry: { tokens: number; at: number } | undefined): number {
    if (entry === undefined) return rules.burst
    return Math.min(rules.burst, entry.tokens + ((clock.now() - entry.at) / 1000) * rules.perSecond)
  }

  /** The oldest entries go first; an attacker with that many networks is not stopped by this anyway. */
  function makeRoom(): void {
    for (const [caller, entry] of left) if (tokensNow(entry) >= rules.burst) left.delete(caller)
    for (const caller of left.keys()) {
      if (left.size < rules.callers) return
      left.delete(caller)
    }
  }

  return {
    waitMs(address) {
      // Nearly always there is nothing to look for, and this runs for every request.
      if (left.size === 0) return 0
      const tokens = tokensNow(left.get(callerNetwork(address)))
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / rules.perSecond) * 1000)
    },
    left: (address) => Math.floor(tokensNow(left.get(callerNetwork(address)))),
    failed(address) {
      const caller = callerNetwork(address)
      const entry = left.get(caller)
      if (entry === undefined && left.size >= rules.callers) makeRoom()
      const tokens = Math.max(0, tokensNow(entry) - 1)
      left.set(caller, { tokens, at: clock.now() })
      return tokens < 1
    },
  }
}
