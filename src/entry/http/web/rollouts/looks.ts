import type { RolloutView, StepView } from '../../../../rollouts/index.ts'
import type { Look } from '../shell/status.tsx'

/** The state of a step for people: `left` is a running step whose worker stopped renewing its claim. */
export function stepState({ status, leaseUntil }: StepView, now: number): string {
  return status === 'running' && leaseUntil !== null && Date.parse(leaseUntil) <= now ? 'left' : status
}

const STEP_LOOKS: ReadonlyMap<string, Look> = new Map([
  ['failed', 'fail'],
  ['left', 'missing'],
  ['running', 'run'],
  ['waiting', 'wait'],
  ['applied', 'ok'],
  ['skipped', 'never'],
])

/** In the order in which they want attention. */
export const STEP_STATES: readonly string[] = [...STEP_LOOKS.keys()]

export const stepLook = (state: string): Look => STEP_LOOKS.get(state) ?? 'unknown'

const ROLLOUT_LOOKS: ReadonlyMap<string, Look> = new Map([
  ['active', 'run'],
  ['paused', 'wait'],
  ['failed', 'fail'],
  ['done', 'ok'],
  ['cancelled', 'never'],
  ['damaged', 'missing'],
])

export const ROLLOUT_STATES = ['active', 'paused', 'failed', 'done', 'cancelled'] as const

/** `failed`: it is under way, but a step failed, so what depends on that step waits. */
export function rolloutState({ status, steps }: Pick<RolloutView, 'status' | 'steps'>): string {
  return status === 'active' && steps.some((step) => step.status === 'failed') ? 'failed' : status
}

export const rolloutLook = (state: string): Look => ROLLOUT_LOOKS.get(state) ?? 'unknown'

export const isSettled = ({ status }: Pick<StepView, 'status'>) =>
  status === 'applied' || status === 'skipped'

/** Whether people can still change it. */
export const isOpen = ({ status }: Pick<RolloutView, 'status'>) => status === 'active' || status === 'paused'
