import type { Clock } from '../../../base/clock.ts'
import { callerNetwork } from './client-address.ts'
import { type AttemptRules, createFailedAttempts } from './failed-attempts.ts'

export interface Look<T> {
  find(): Promise<T>
  isWrong(found: T): boolean
  /** The caller had too many wrong ones, so nothing is looked up. Throws. */
  limited(waitMs: number): never
  /** This was the last wrong one before the caller has to wait. */
  onLimit(): void
}

/**
 * Looks up credentials that may be wrong. The outcome of a lookup under way is unknown, so one caller has no more of
 * them at once than it may still get wrong; the others wait. Right credentials are never refused for that.
 */
export function createCarefulLookups(clock: Clock, rules: AttemptRules) {
  const attempts = createFailedAttempts(clock, rules)
  const callers = new Map<string, { present: number; underWay: number; readonly waiting: (() => void)[] }>()

  return async function lookUp<T>(address: string, look: Look<T>): Promise<T> {
    const caller = callerNetwork(address)
    const line = callers.get(caller) ?? { present: 0, underWay: 0, waiting: [] }
    callers.set(caller, line)
    line.present++
    try {
      let waitMs = attempts.waitMs(address)
      while (waitMs === 0 && line.underWay >= attempts.left(address)) {
        await new Promise<void>((resolve) => void line.waiting.push(resolve))
        waitMs = attempts.waitMs(address)
      }
      if (waitMs > 0) return look.limited(waitMs)
      line.underWay++
      const found = await look.find().finally(() => line.underWay--)
      if (look.isWrong(found) && attempts.failed(address)) look.onLimit()
      return found
    } finally {
      // Every lookup that ends, refused or not, admits the next: nothing waits while no lookup is under way.
      line.waiting.shift()?.()
      if (--line.present === 0) callers.delete(caller)
    }
  }
}
