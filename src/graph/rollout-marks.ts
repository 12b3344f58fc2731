import type { Clock } from '../base/clock.ts'
import type { Rollouts } from './rollout-services.ts'
import type { Mark } from './views.ts'

/** Like listings, marks may lag by this much; a page that asks often does not read the rollouts each time. */
const LAG_MS = 1000
const MOST_ROLLOUTS = 5

/** What the rollouts under way say of units: running or failed. */
export function createRolloutMarks(rollouts: Pick<Rollouts, 'list'>, clock: Pick<Clock, 'now'>) {
  const kept = new Map<
    string,
    { readonly at: number; readonly marks: Promise<ReadonlyMap<string, Mark[]>> }
  >()

  async function read(org: string): Promise<ReadonlyMap<string, Mark[]>> {
    const marks = new Map<string, Mark[]>()
    for (const { status, steps } of await rollouts.list(org, { limit: MOST_ROLLOUTS })) {
      if (status !== 'active' && status !== 'paused') continue
      for (const step of steps) {
        if ((step.status === 'running' || step.status === 'failed') && !marks.has(step.unit.id))
          marks.set(step.unit.id, [step.status])
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
