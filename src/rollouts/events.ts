import { z } from 'zod'
import type { EventDraft } from '../state/index.ts'
import type { Rollout, Step } from './model.ts'

/** Events of this layer. */
export const RolloutEventType = z.enum([
  'rollout.started',
  'rollout.paused',
  'rollout.resumed',
  'rollout.cancelled',
  'rollout.finished',
  'step.applied',
  'step.failed',
  'step.skipped',
])
type RolloutEventType = z.infer<typeof RolloutEventType>

/** What is reported about a rollout: one of its units, or the whole. */
export interface RolloutNews extends Pick<EventDraft<RolloutEventType>, 'type' | 'data'> {
  readonly unit?: { readonly id: string; readonly name: string }
}

/**
 * The events of a change of a rollout, from the document before (none: it is new) and after it. Steps that the outputs
 * prove needless are counted at the end instead of reported one by one: there may be thousands. Pure.
 */
export function newsOf(before: Rollout | undefined, after: Rollout): readonly RolloutNews[] {
  const about = { rollout: after.id }
  if (before === undefined) {
    const names = after.steps.filter(({ isRoot }) => isRoot).map(({ unit }) => unit.name)
    const data = { ...about, from: names.join(', '), steps: after.steps.length }
    return [{ type: 'rollout.started', data }]
  }
  const steps = changedSteps(before, after)
  const news = steps.flatMap(({ now }) => newsOfStep(now, about))
  const isRetry = steps.some(({ was, now }) => was.status === 'failed' && now.status === 'waiting')
  if (before.status === after.status)
    return isRetry ? [...news, { type: 'rollout.resumed', data: about }] : news
  switch (after.status) {
    case 'active':
      return [...news, { type: 'rollout.resumed', data: about }]
    case 'paused':
      return [...news, { type: 'rollout.paused', data: about }]
    case 'cancelled':
      return [...news, { type: 'rollout.cancelled', data: about }]
    case 'done':
      return [...news, { type: 'rollout.finished', data: { ...about, ...countsOf(after) } }]
    default:
      return news
  }
}

/** Changes keep the steps in their order, and those that stay as they are. */
function changedSteps(
  before: Rollout,
  after: Rollout,
): readonly { readonly was: Step; readonly now: Step }[] {
  return after.steps.flatMap((now, i) => {
    const was = before.steps[i]
    return was === undefined || was === now || was.status === now.status ? [] : [{ was, now }]
  })
}

function newsOfStep(step: Step, about: Readonly<Record<string, unknown>>): readonly RolloutNews[] {
  const { unit, status, result, proof, reason } = step
  if (status === 'applied') {
    const changed = result?.changed.join(', ') ?? ''
    const data = { ...about, version: result?.version ?? null, ...(changed === '' ? {} : { changed }) }
    return [{ type: 'step.applied', unit, data }]
  }
  if (status === 'failed') return [{ type: 'step.failed', unit, data: { ...about, reason: reason ?? '' } }]
  if (status !== 'skipped' || proof?.kind === 'inputs') return []
  const why = proof?.kind === 'fingerprint' ? { fingerprint: proof.fingerprint } : { reason: reason ?? '' }
  return [{ type: 'step.skipped', unit, data: { ...about, ...why } }]
}

function countsOf({ steps }: Rollout): { readonly applied: number; readonly skipped: number } {
  const count = (status: Step['status']) => steps.filter((step) => step.status === status).length
  return { applied: count('applied'), skipped: count('skipped') }
}
