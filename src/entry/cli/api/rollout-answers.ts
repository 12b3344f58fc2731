import type {
  ClaimView,
  Claims,
  Proof,
  RolloutPlan,
  RolloutView,
  StartedRollout,
  StepStart,
  StepView,
  UsedOutputs,
} from '../../../rollouts/index.ts'
import { type Shape, fields, flag, list, maybe, number, record, text, word } from './check-answer.ts'

/** Answers about rollouts. Their types are the server's own; what is checked here is what commands use. */

const named = fields({ id: text, name: text })
const uses: Shape<UsedOutputs[]> = list(
  fields({ unit: named, commit: number, outputs: record(text), inputs: record(text) }),
)
const rolloutStatus = word<RolloutView['status']>()
const progressStatus = word<Claims['rollout']['status']>()
const stepStatus = word<StepView['status']>()

const upstream = list(fields({ unit: named, outputs: record(text), read: number, now: number }))
const proof: Shape<Proof> = (value, at) => {
  const { kind } = fields({ kind: text })(value, at)
  if (kind === 'fingerprint') return { kind, ...fields({ fingerprint: text, version: text })(value, at) }
  if (kind === 'inputs') return { kind, ...fields({ upstream })(value, at) }
  // A newer server may know other proofs: they are shown without details.
  return { kind: 'other' }
}

const step: Shape<StepView> = fields({
  unit: named,
  needs: list(text),
  isRoot: flag,
  status: stepStatus,
  due: maybe(text),
  worker: maybe(text),
  leaseUntil: maybe(text),
  startedAt: maybe(text),
  endedAt: maybe(text),
  attempts: number,
  reason: maybe(text),
  proof: maybe(proof),
  result: maybe(
    fields({
      version: maybe(text),
      commitBefore: maybe(number),
      commitAfter: maybe(number),
      changed: list(text),
      exitCode: number,
      ms: number,
      engineMs: number,
    }),
  ),
})

export const rolloutAnswer: Shape<RolloutView> = fields({
  id: text,
  org: text,
  createdAt: text,
  endedAt: maybe(text),
  by: text,
  who: maybe(text),
  status: rolloutStatus,
  roots: list(text),
  steps: list(step),
})

export const planAnswer: Shape<RolloutPlan> = fields({
  asOf: text,
  steps: list(
    fields({
      unit: named,
      needs: list(text),
      isRoot: flag,
      version: maybe(text),
      fingerprint: maybe(text),
      fingerprintKey: maybe(text),
      uses,
    }),
  ),
})

export const startAnswer: Shape<StepStart> = fields({ lock: maybe(text), inputs: record(text) })

const claim: Shape<ClaimView> = fields({
  unit: named,
  token: text,
  until: text,
  attempt: number,
  why: text,
  version: maybe(text),
  fingerprint: maybe(text),
  fingerprintKey: text,
  uses,
  start: maybe(startAnswer),
})

const counts = fields({ waiting: number, running: number, applied: number, skipped: number, failed: number })
export const claimsAnswer: Shape<Claims> = fields({
  rollout: fields({ id: text, status: progressStatus, steps: counts }),
  claims: list(claim),
})

/** As much of a rollout as a worker needs that has just started it. */
export const startedAnswer: Shape<
  Pick<StartedRollout, 'id' | 'claims'> &
    Pick<Claims['rollout'], 'status'> & { readonly steps: Pick<StepView, 'unit' | 'status'>[] }
> = fields({
  id: text,
  status: progressStatus,
  steps: list(fields({ unit: named, status: stepStatus })),
  claims: list(claim),
})

export const statusAnswer = fields({ status: rolloutStatus })
export const lostAnswer = fields({ lost: list(text) })
