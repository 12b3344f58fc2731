import { type Clock, isRecent } from './clock.ts'

/**
 * Like listings, what is read of an organization's rollouts may lag by this much, because pages and workers ask often.
 */
const LAG_MS = 1000

/** Reads at most once a second, and again at once after a failure. Callers in between share the result. */
export function forAMoment<T>(
  clock: Pick<Clock, 'now'>,
  read: (org: string) => Promise<T>,
): (org: string) => Promise<T> {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<T> }>()
  return (org) => {
    const last = kept.get(org)
    if (last !== undefined && isRecent(clock, last.at, LAG_MS)) return last.answer
    const answer = read(org)
    kept.set(org, { at: clock.now(), answer })
    answer.catch(() => kept.delete(org))
    return answer
  }
}
