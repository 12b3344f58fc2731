import { viewAuthor } from '../access/index.ts'
import { isoTime } from '../base/clock.ts'
import type { DamagedRollout } from './unreadable.ts'
import { type Rollout, type Step, isKnownStep } from './model.ts'
import type { RolloutProgress, RolloutView, StepView } from './services.ts'

const time = (ms: number | undefined) => (ms === undefined ? null : isoTime(ms))

export function viewProgress({ id, status, steps }: Rollout): RolloutProgress {
  const of = (wanted: Step['status']) => steps.filter((step) => step.status === wanted).length
  const known = {
    waiting: of('waiting'),
    running: of('running'),
    applied: of('applied'),
    skipped: of('skipped'),
    failed: of('failed'),
  }
  const unknown = steps.filter((step) => !isKnownStep(step)).length
  return { id, status, steps: unknown === 0 ? known : { ...known, unknown } }
}

export function viewRollout(rollout: Rollout): RolloutView {
  const names = new Map(rollout.steps.map(({ unit }) => [unit.id, unit.name]))
  return {
    id: rollout.id,
    org: rollout.org,
    createdAt: isoTime(rollout.createdAt),
    endedAt: time(rollout.endedAt),
    ...viewAuthor(rollout),
    status: rollout.status,
    roots: rollout.roots.map((id) => names.get(id) ?? id),
    steps: rollout.steps.map(viewStep),
  }
}

export function viewDamaged(org: string, { id, at }: DamagedRollout): RolloutView {
  const createdAt = isoTime(at)
  return { id, org, createdAt, endedAt: null, by: '', who: null, status: 'damaged', roots: [], steps: [] }
}

function viewStep(step: Step): StepView {
  return {
    unit: step.unit,
    needs: step.needs,
    isRoot: step.isRoot,
    status: step.status,
    attempts: step.attempts,
    worker: step.claim?.worker ?? null,
    leaseUntil: time(step.claim?.until),
    startedAt: time(step.startedAt),
    endedAt: time(step.endedAt),
    due: step.due ?? null,
    reason: step.reason ?? null,
    proof: step.proof ?? null,
    result: step.result ?? null,
  }
}
