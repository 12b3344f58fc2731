import { type Clock, isRecent } from '../base/clock.ts'
import { type Doubt, doubtOf } from './rollout-damage.ts'
import type { Rollouts } from './rollout-services.ts'
import type { Mark } from './views.ts'

export interface RolloutMarks {
  readonly marks: ReadonlyMap<string, readonly Mark[]>
  /** Units whose apply was given up, where their own documents could not be told. */
  readonly failed: ReadonlyMap<string, { readonly at: number; readonly rollout: string }>
  /** Undefined: every rollout can be read. */
  readonly doubt: Doubt | undefined
}

/** Like listings, marks may lag by this much; a page that asks often does not read the rollouts each time. */
const LAG_MS = 1000

/** What the rollouts say of units: running, as long as a worker keeps its claim. That one failed lies with the unit. */
export function createRolloutMarks(rollouts: Pick<Rollouts, 'unfinished'>, clock: Pick<Clock, 'now'>) {
  const kept = new Map<string, { readonly at: number; readonly marks: Promise<RolloutMarks> }>()

  async function read(org: string): Promise<RolloutMarks> {
    const { rollouts: all, damaged } = await rollouts.unfinished(org)
    return {
      marks: new Map(all.flatMap(({ running }) => running.map((unit) => [unit, ['running']]))),
      failed: new Map(all.flatMap(({ id, left }) => left.map(({ unit, at }) => [unit, { at, rollout: id }]))),
      doubt: damaged.length === 0 ? undefined : doubtOf(damaged),
    }
  }

  return function marksOf(org: string): Promise<RolloutMarks> {
    const known = kept.get(org)
    if (known !== undefined && isRecent(clock, known.at, LAG_MS)) return known.marks
    const marks = read(org)
    kept.set(org, { at: clock.now(), marks })
    marks.catch(() => kept.delete(org))
    return marks
  }
}
