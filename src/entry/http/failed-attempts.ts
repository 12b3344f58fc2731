import type { Clock } from '../../base/clock.ts'

export interface FailedAttempts {
  /** Counts one; false when there have been too many of late. */
  allow(address: string): boolean
  retryAfterMs(): number
}

export interface AttemptRules {
  readonly burst: number
  readonly perSecond: number
  readonly addresses: number
}

const defaultRules: AttemptRules = { burst: 20, perSecond: 1 / 3, addresses: 10_000 }

/** A token bucket for each address. Only failures are counted, so whoever has the right token is never held up. */
export function createFailedAttempts(clock: Clock, rules: AttemptRules = defaultRules): FailedAttempts {
  const left = new Map<string, { tokens: number; at: number }>()

  function tokensNow(entry: { tokens: number; at: number }): number {
    return Math.min(rules.burst, entry.tokens + ((clock.now() - entry.at) / 1000) * rules.perSecond)
  }

  /** The oldest entries go first; an attacker with that many addresses is not stopped by this anyway. */
  function makeRoom(): void {
    for (const [address, entry] of left) if (tokensNow(entry) >= rules.burst) left.delete(address)
    for (const address of left.keys()) {
      if (left.size < rules.addresses) return
      left.delete(address)
    }
  }

  return {
    allow(address) {
      const entry = left.get(address)
      if (entry === undefined && left.size >= rules.addresses) makeRoom()
      const tokens = entry === undefined ? rules.burst : tokensNow(entry)
      left.set(address, { tokens: Math.max(0, tokens - 1), at: clock.now() })
      return tokens >= 1
    },
    retryAfterMs: () => 1000 / rules.perSecond,
  }
}
