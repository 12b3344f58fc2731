import { fields, flag, list, maybe, number, record, text } from './check-answer.ts'
import type { Of } from './check-answer.ts'

const named = fields({ id: text, name: text })
const uses = list(fields({ unit: named, commit: number, outputs: record(text) }))

const step = fields({
  unit: named,
  needs: list(text),
  isRoot: flag,
  status: text,
  due: maybe(text),
  worker: maybe(text),
  leaseUntil: maybe(text),
  startedAt: maybe(text),
  endedAt: maybe(text),
  attempts: number,
  reason: maybe(text),
  proof: maybe(
    fields({
      kind: text,
      fingerprint: maybe(text),
      version: maybe(text),
      upstream: maybe(list(fields({ unit: named, outputs: record(text), read: number, now: number }))),
    }),
  ),
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
export type StepAnswer = Of<typeof step>

export const rolloutAnswer = fields({
  id: text,
  createdAt: text,
  endedAt: maybe(text),
  by: text,
  status: text,
  roots: list(text),
  steps: list(step),
})
export type RolloutAnswer = Of<typeof rolloutAnswer>

export const planAnswer = fields({
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

export const startAnswer = fields({ lock: maybe(text), inputs: record(text) })

const claim = fields({
  unit: named,
  token: text,
  attempt: number,
  why: text,
  version: maybe(text),
  fingerprint: maybe(text),
  fingerprintKey: text,
  uses,
  start: maybe(startAnswer),
})
export type ClaimAnswer = Of<typeof claim>

const progress = fields({ status: text, steps: fields({ waiting: number, running: number }) })
export type ProgressAnswer = Of<typeof progress>

export const claimsAnswer = fields({ rollout: progress, claims: list(claim) })
export type ClaimsAnswer = Of<typeof claimsAnswer>

/** As much of a rollout as a worker needs that has just started it. */
export const startedAnswer = fields({
  id: text,
  status: text,
  steps: list(fields({ unit: named, status: text })),
  claims: list(claim),
})

export const statusAnswer = fields({ status: text })
export const lostAnswer = fields({ lost: list(text) })
