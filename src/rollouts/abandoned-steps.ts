import { systemCaller } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { forAMoment } from '../base/cached-for.ts'
import type { Rollout } from './model.ts'
import type { Doubt } from '../graph/index.ts'
import { doubtOf } from './unreadable.ts'
import type { Unfinished } from './services.ts'
import type { createSteps } from './steps.ts'
import type { RolloutStore } from './store.ts'
import { abandon, isExpired, isLeft } from './decisions/transitions.ts'

/** No event reports it: no one did anything. */
const ownCaller = systemCaller('rollouts')

/**
 * Steps of dead workers. Their units may be half applied, which must be recorded even if the rollout is never
 * continued. So the next visitor records it with the unit, where the next good apply clears it.
 */
export function createLeftSteps(deps: {
  readonly store: RolloutStore
  readonly steps: Pick<ReturnType<typeof createSteps>, 'abandon'>
  readonly clock: Clock
}) {
  const { store, steps, clock } = deps

  /** The units first: a crash in between must not leave one that looks fine. Gives the document after it. */
  async function abandonAll(rollout: Rollout, only?: string): Promise<Rollout> {
    const now = clock.now()
    const left = rollout.steps.filter(
      (step) => isLeft(step, now) && (only === undefined || only === step.unit.id),
    )
    await Promise.all(left.map((step) => steps.abandon({ org: rollout.org, id: rollout.id }, step)))
    return abandon(rollout, left)
  }

  async function noted(rollout: Rollout): Promise<Rollout> {
    if (!rollout.steps.some((step) => isLeft(step, clock.now()))) return rollout
    const { org, id } = rollout
    const done = await store.change({ org, id }, ownCaller, async (current) => ({
      rollout: await abandonAll(current),
      answer: null,
    }))
    return done.rollout
  }

  async function look(org: string): Promise<Doubt> {
    const { rollouts, damaged } = await store.unfinished(org)
    await Promise.all(rollouts.map(noted))
    return doubtOf(damaged)
  }

  function view({ id, steps: all }: Rollout): Unfinished['rollouts'][number] {
    const now = clock.now()
    const running = all.filter((step) => step.status === 'running')
    return {
      id,
      running: running.flatMap((step) => (isExpired(step, now) ? [] : [step.unit.id])),
      left: running.flatMap((step) =>
        isLeft(step, now) ? [{ unit: step.unit.id, at: step.claim?.until ?? now }] : [],
      ),
    }
  }

  return {
    abandonAll,
    /** A bucket that cannot be written to is no reason to say nothing: what could not be noted is in `left`. */
    async unfinished(org: string): Promise<Unfinished> {
      const { rollouts, damaged } = await store.unfinished(org)
      const after = await Promise.all(rollouts.map((rollout) => noted(rollout).catch(() => rollout)))
      return { rollouts: after.map(view), damaged }
    },
    /**
     * Before anything is decided by proof; gives of which units nothing can be proven. Never within a change of a
     * rollout: two would wait for each other.
     */
    note: forAMoment(clock, look),
  }
}
