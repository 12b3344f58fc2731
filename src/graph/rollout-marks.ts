import type { Clock } from '../base/clock.ts'
import type { Rollouts } from './rollout-services.ts'
import type { Mark } from './views.ts'

/** Like listings, marks may lag by this much; a page that asks often does not read the rollouts each time. */
const LAG_MS = 1000

/** What the rollouts say of units: running, as long as a worker keeps its claim. That one failed lies with the unit. */
export function createRolloutMarks(rollouts: Pick<Rollouts, 'unfinished'>, clock: Pick<Clock, 'now'>) {
  const kept = new Map<
    string,
    { readonly at: number; readonly marks: Promise<ReadonlyMap<string, Mark[]>> }
  >()

  async function read(org: string): Promise<ReadonlyMap<string, Mark[]>> {
    const marks = new Map<string, Mark[]>()
    for (const { steps } of await rollouts.unfinished(org)) {
      for (const { status, leaseUntil, unit } of steps) {
        const isHeld = leaseUntil !== null && Date.parse(leaseUntil) > clock.now()
        if (status === 'running' && isHeld) marks.set(unit.id, ['running'])
      }
    }
    return marks
  }

  return function marksOf(org: string): Promise<ReadonlyMap<string, readonly Mark[]>> {
    const known = kept.get(org)
    if (known !== undefined && clock.now() - known.at < LAG_MS) return known.marks
    const marks = read(org)
    kept.set(org, { at: clock.now(), marks })
    marks.catch(() => kept.delete(org))
    return marks
  }
}
