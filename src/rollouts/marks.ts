import type { Clock } from '../base/clock.ts'
import { forAMoment } from '../base/cached-for.ts'
import { type Doubt, doubtOf } from './unreadable.ts'
import type { Rollouts } from './services.ts'
import type { Mark } from '../graph/views.ts'

export interface RolloutMarks {
  readonly marks: ReadonlyMap<string, readonly Mark[]>
  /** Units whose apply was given up, where their own documents could not be told. */
  readonly failed: ReadonlyMap<string, { readonly at: number; readonly rollout: string }>
  /** Undefined: every rollout can be read. */
  readonly doubt: Doubt | undefined
}

/** What the rollouts say of units: running, as long as a worker keeps its claim. That one failed lies with the unit. */
export function createRolloutMarks(rollouts: Pick<Rollouts, 'unfinished'>, clock: Pick<Clock, 'now'>) {
  async function read(org: string): Promise<RolloutMarks> {
    const { rollouts: all, damaged } = await rollouts.unfinished(org)
    return {
      marks: new Map(all.flatMap(({ running }) => running.map((unit) => [unit, ['running']]))),
      failed: new Map(all.flatMap(({ id, left }) => left.map(({ unit, at }) => [unit, { at, rollout: id }]))),
      doubt: damaged.length === 0 ? undefined : doubtOf(damaged),
    }
  }

  return forAMoment(clock, read)
}
