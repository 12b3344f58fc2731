import type { Rollout, Step } from '../model.ts'
import { isExpired, isReady, stepOf, withSteps, without } from './transitions.ts'

/** Taking steps and keeping them: pure, as all changes of a rollout. */

export interface ClaimRequest {
  readonly worker: string
  readonly now: number
  readonly leaseMs: number
  readonly most: number
  /** Whether the worker has what the step needs. */
  readonly canDo: (step: Step) => boolean
  readonly request?: string | undefined
  readonly token: () => string
  readonly lock: () => string
  /** The unit as it is before the step. */
  readonly before: (unit: string) => { readonly commit: number; readonly version: string } | null
}

/** Takes up to `most` steps that are known to be due, with those that the same request took before. */
export function claim(
  rollout: Rollout,
  request: ClaimRequest,
): { readonly rollout: Rollout; readonly claimed: readonly Step[] } {
  const { now, leaseMs } = request
  const had = rollout.steps.filter((step) => isOf(step, request))
  const tokens = had.flatMap((step) => step.claim?.token ?? [])
  const { rollout: kept } = renew(rollout, tokens, { now, leaseMs })
  const { rollout: next, claimed } = claimMore(kept, { ...request, most: request.most - had.length })
  return { rollout: next, claimed: [...had.map(({ unit }) => stepOf(next, unit.id)), ...claimed] }
}

function isOf(step: Step, { request, worker, now }: ClaimRequest): boolean {
  if (request === undefined || step.status !== 'running' || isExpired(step, now)) return false
  return step.claim?.request === request && step.claim.worker === worker
}

function claimMore(
  rollout: Rollout,
  request: ClaimRequest,
): { readonly rollout: Rollout; readonly claimed: readonly Step[] } {
  if (rollout.status !== 'active' || request.most < 1) return { rollout, claimed: [] }
  const { now, leaseMs, worker } = request
  const claimed = rollout.steps
    .filter((step) => step.due !== undefined && isReady(rollout, step, now) && request.canDo(step))
    .slice(0, request.most)
    .map((step) => {
      const left = step.claim?.lock ?? step.claim?.token
      return {
        ...without(step, 'claim', 'abandoned', 'reason', 'endedAt', 'result'),
        status: 'running' as const,
        claim: {
          worker,
          until: now + leaseMs,
          token: request.token(),
          lock: request.lock(),
          ...(request.request === undefined ? {} : { request: request.request }),
        },
        attempts: step.attempts + 1,
        startedAt: now,
        before: request.before(step.unit.id),
        // A worker may have been killed while it waited for the engine of one before it.
        ...(left === undefined ? {} : { earlier: [...(step.earlier ?? []), left] }),
      }
    })
  return { rollout: withSteps(rollout, claimed), claimed }
}

/** Gives the claims that were lost meanwhile as well: their holders must stop. */
export function renew(
  rollout: Rollout,
  tokens: readonly string[],
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): { readonly rollout: Rollout; readonly lost: readonly string[] } {
  const held = rollout.steps.filter(
    (step) => step.status === 'running' && step.claim !== undefined && tokens.includes(step.claim.token),
  )
  const found = new Set(held.map((step) => step.claim?.token))
  const renewed = held.map((step) =>
    step.claim === undefined
      ? step
      : { ...without(step, 'abandoned'), claim: { ...step.claim, until: now + leaseMs } },
  )
  return { rollout: withSteps(rollout, renewed), lost: tokens.filter((token) => !found.has(token)) }
}
