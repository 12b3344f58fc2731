import { systemCaller } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { forAMoment } from '../base/cached-for.ts'
import { doubtOf } from './unreadable.ts'
import type { Rollouts } from './services.ts'
import type { RolloutMarks } from '../graph/index.ts'

/**
 * What the rollouts say about units: running, as long as a worker keeps its claim. Failures are recorded with the unit.
 */
export function createRolloutMarks(rollouts: Pick<Rollouts, 'unfinished'>, clock: Pick<Clock, 'now'>) {
  async function read(org: string): Promise<RolloutMarks> {
    const { rollouts: all, damaged } = await rollouts.unfinished(org, systemCaller('graph'))
    return {
      marks: new Map(all.flatMap(({ running }) => running.map((unit) => [unit, ['running']]))),
      failed: new Map(all.flatMap(({ id, left }) => left.map(({ unit, at }) => [unit, { at, rollout: id }]))),
      doubt: damaged.length === 0 ? undefined : doubtOf(damaged),
    }
  }

  return forAMoment(clock, read)
}
