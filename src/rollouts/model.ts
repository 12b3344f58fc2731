import { z } from 'zod'
import {
  Answered,
  type DocumentFormat,
  documentFields,
  openObject,
  openWord,
  otherKind,
} from '../bucket/index.ts'
import { Event } from '../state/index.ts'

/** A rollout as it is stored in the bucket. */

const Named = openObject({ id: z.string(), name: z.string() })

/** Why a step needed no apply, in a form that can be checked. */
export const Proof = z.union([
  openObject({
    kind: z.literal('inputs'),
    /** Each output that the unit uses, with the digest that it read and that is current. */
    upstream: z.array(
      openObject({
        unit: Named,
        outputs: z.record(z.string(), z.string()),
        /** The outputs commit at which the unit read them. */
        read: z.number().int(),
        /** The current one. */
        now: z.number().int(),
      }),
    ),
  }),
  openObject({
    kind: z.literal('fingerprint'),
    fingerprint: z.string(),
    /** The state version whose apply had the same one. */
    version: z.string(),
  }),
  otherKind('inputs', 'fingerprint'),
])
export type Proof = z.infer<typeof Proof>

/**
 * A newer server may have given a step or a rollout a status that is not known here. Such a rollout is left to that
 * server: nothing of it is begun, ended or closed here, and nothing is proven of its units (`unreadable.ts`).
 */
const knownStepStatus = z.enum(['waiting', 'running', 'applied', 'skipped', 'failed'])
export const StepStatus = openWord(knownStepStatus)
export type StepStatus = z.infer<typeof StepStatus>
export const isKnownStep = ({ status }: Step) => knownStepStatus.safeParse(status).success

export const StepClaim = openObject({
  worker: z.string(),
  /** When another may take the step over. */
  until: z.number(),
  /** Proves the claim: only its holder knows it. */
  token: z.string(),
  /** Id of the lock that the step holds on its unit, which everybody may see. Claims of old have none. */
  lock: z.string().optional(),
  /** Of the request that brought it, or the token of the step whose end did: a repeated request gets the same claim. */
  request: z.string().optional(),
})
export type StepClaim = z.infer<typeof StepClaim>

export const StepResult = openObject({
  /** Null: the unit has no state even now. */
  version: z.string().nullable(),
  commitBefore: z.number().int().nullable(),
  commitAfter: z.number().int().nullable(),
  /** Outputs that the step changed. */
  changed: z.array(z.string()),
  exitCode: z.number().int(),
  /** From claim to end, and how much of it the engine took. */
  ms: z.number(),
  engineMs: z.number(),
})
export type StepResult = z.infer<typeof StepResult>

export const Step = openObject({
  unit: Named,
  /** Ids of the units in this rollout that must be settled before. */
  needs: z.array(z.string()),
  isRoot: z.boolean(),
  status: StepStatus,
  /** Why it must run; unset until that is decided. */
  due: z.string().optional(),
  claim: StepClaim.optional(),
  /** Locks of all expired claims: the next holder may break them. Older documents hold only the last. */
  earlier: z.union([z.array(z.string()), z.string().transform((lock) => [lock])]).optional(),
  /** The claim ran out, and with the unit it is noted that it may be half applied. */
  abandoned: z.boolean().optional(),
  /** Token of the claim whose holder reported an end last: a repeated report gets the same answer. */
  told: z.string().optional(),
  /** The unit before the step, noted when it was claimed. */
  before: openObject({ commit: z.number().int(), version: z.string() }).nullable().optional(),
  attempts: z.number().int(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  reason: z.string().optional(),
  proof: Proof.optional(),
  result: StepResult.optional(),
})
export type Step = z.infer<typeof Step>

export const knownRolloutStatus = z.enum(['active', 'paused', 'cancelled', 'done'])
export const RolloutStatus = openWord(knownRolloutStatus)
export type RolloutStatus = z.infer<typeof RolloutStatus>
export const isKnownRollout = ({ status }: Rollout) => knownRolloutStatus.safeParse(status).success

export const Rollout = openObject({
  ...documentFields(1),
  id: z.string(),
  org: z.string(),
  createdAt: z.number(),
  by: z.string(),
  who: z.string().optional(),
  status: RolloutStatus,
  endedAt: z.number().optional(),
  /** Ids of the units it starts from. */
  roots: z.array(z.string()),
  /** In an order in which they could be applied one by one. */
  steps: z.array(Step),
  answered: z.array(Answered).optional(),
  /** Events that may not be in the journal yet. */
  outbox: z.array(Event).default([]),
})
export type Rollout = z.infer<typeof Rollout>

export const rolloutFormat: DocumentFormat<Rollout> = { schema: Rollout, major: 1, minor: 0 }
