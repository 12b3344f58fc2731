import { z } from 'zod'
import type { Caller, DoctorFinding } from '../state/index.ts'
import type { DamagedRollout } from './unreadable.ts'
import { openWord } from '../bucket/index.ts'
import { Proof, RolloutStatus, Step, knownRolloutStatus } from './model.ts'

/** What the outside sees of rollouts: the schemas of the HTTP API and of `--json`. */

export const StepView = z.object({
  ...Step.omit({
    claim: true,
    earlier: true,
    abandoned: true,
    told: true,
    before: true,
    startedAt: true,
    endedAt: true,
  }).shape,
  worker: z.string().nullable(),
  leaseUntil: z.iso.datetime().nullable(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  due: z.string().nullable(),
  reason: z.string().nullable(),
  proof: Proof.nullable(),
  result: Step.shape.result.unwrap().nullable(),
})
export type StepView = z.infer<typeof StepView>

export const RolloutView = z.object({
  id: z.string(),
  org: z.string(),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  by: z.string(),
  who: z.string().nullable(),
  status: openWord(z.enum([...knownRolloutStatus.options, 'damaged'])).meta({
    description:
      'damaged: its document in the bucket cannot be read, and nothing else is known about it. A newer server may use other words.',
  }),
  /** Names of the units it starts from. */
  roots: z.array(z.string()),
  steps: z.array(StepView),
})
export type RolloutView = z.infer<typeof RolloutView>

/** What rollouts that are under way say of units, by id. */
export interface Unfinished {
  readonly rollouts: readonly {
    readonly id: string
    /** Units that a worker is at. */
    readonly running: readonly string[]
    /** Units whose worker is gone since then, which could not be noted with them. */
    readonly left: readonly { readonly unit: string; readonly at: number }[]
  }[]
  readonly damaged: readonly DamagedRollout[]
}

/** What a fingerprint takes in of the units used: who, the digest of each output, and which variable takes which. */
export const UsedOutputs = z.object({
  unit: z.object({ id: z.string(), name: z.string() }),
  commit: z.number().int(),
  outputs: z.record(z.string(), z.string()),
  inputs: z.record(z.string(), z.string()).meta({ description: 'Variable → output.' }),
})
export type UsedOutputs = z.infer<typeof UsedOutputs>

const WalkUnit = z.object({
  unit: z.object({ id: z.string(), name: z.string() }),
  needs: z.array(z.string()),
  isRoot: z.boolean(),
  version: z.string().nullable(),
  /** Of the last apply, if the state is still the one it made. */
  fingerprint: z.string().nullable(),
  /** Null unless it was asked for: with it, values in a fingerprint can be guessed. */
  fingerprintKey: z.string().nullable(),
  uses: z.array(UsedOutputs),
})

export const RolloutPlan = z.object({ asOf: z.iso.datetime(), steps: z.array(WalkUnit) })
export type RolloutPlan = z.infer<typeof RolloutPlan>

/** What a step starts with. Values are JSON text, every digit kept. */
export const StepStart = z.object({
  /** The lock that the step holds on its unit; null: the engine takes its own. */
  lock: z.string().nullable(),
  inputs: z.record(z.string(), z.string()),
})
export type StepStart = z.infer<typeof StepStart>

/** One claimed step: everything a worker needs to tell whether there is something to do. */
export const ClaimView = z.object({
  unit: z.object({ id: z.string(), name: z.string() }),
  token: z.string(),
  until: z.iso.datetime(),
  attempt: z.number().int(),
  why: z.string(),
  version: z.string().nullable(),
  fingerprint: z.string().nullable(),
  /** What the worker keys the unit's fingerprint with. */
  fingerprintKey: z.string(),
  uses: z.array(UsedOutputs),
  /** Set where the claim asked for it and the step is sure to run: it has begun. */
  start: StepStart.nullable(),
})
export type ClaimView = z.infer<typeof ClaimView>

/** How far a rollout is, without its steps: workers ask often. */
export const RolloutProgress = z.object({
  id: z.string(),
  status: RolloutStatus,
  steps: z.object({
    waiting: z.number().int(),
    running: z.number().int(),
    applied: z.number().int(),
    skipped: z.number().int(),
    failed: z.number().int(),
    unknown: z
      .number()
      .int()
      .optional()
      .meta({ description: 'Steps with a status that only a newer OpenTaco knows.' }),
  }),
})
export type RolloutProgress = z.infer<typeof RolloutProgress>

export const Claims = z.object({ rollout: RolloutProgress, claims: z.array(ClaimView) })
export type Claims = z.infer<typeof Claims>

export const StepEnd = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('applied'),
    fingerprint: z.string().nullable(),
    engineMs: z.number(),
  }),
  z.object({
    kind: z.literal('failed'),
    reason: z.string().max(4000),
    exitCode: z.number().int(),
    engineMs: z.number(),
    /** False: no engine had begun to apply, so the unit is as it was. */
    begun: z.boolean().optional(),
  }),
  /** The fingerprint is that of the last apply. */
  z.object({ kind: z.literal('unchanged'), fingerprint: z.string() }),
  /** The worker stops. `begun`: its engine was interrupted at work. */
  z.object({ kind: z.literal('returned'), begun: z.boolean().optional() }),
])
export type StepEnd = z.infer<typeof StepEnd>

export const StartedRollout = RolloutView.extend({ claims: z.array(ClaimView) })
export type StartedRollout = z.infer<typeof StartedRollout>

export interface RolloutRef {
  readonly org: string
  readonly id: string
}

export interface ClaimOptions {
  readonly worker: string
  readonly most: number
  readonly leaseMs: number
  /** Names of the units that the worker has; undefined: all. */
  readonly units?: readonly string[] | undefined
  /** Steps that are sure to run begin with the claim, with a lock; for one that could not, `begin` says why. */
  readonly begin: boolean
  /** A request repeated for lack of an answer gets the claims of the first, however many it requests now. */
  readonly request?: string | undefined
}

/** Applying a change through the graph, step by step, by any worker. */
export interface Rollouts {
  /**
   * The walk from these units (names or ids); `downstream: false`: they alone; none: all units. `keys`: with the keys of
   * their fingerprints.
   */
  plan(
    org: string,
    walk: { from: readonly string[]; downstream: boolean; keys?: boolean },
    caller: Caller,
  ): Promise<RolloutPlan>
  start(
    org: string,
    options: { from: readonly string[]; claim?: ClaimOptions },
    caller: Caller,
  ): Promise<StartedRollout>
  /** Newest first. `cursor`: the `next` of the page before. */
  list(
    org: string,
    page: { limit: number; cursor?: string },
    caller: Caller,
  ): Promise<{ readonly items: readonly RolloutView[]; readonly next: string | undefined }>
  /** Those that are under way, and those in which steps still run; newest first. */
  unfinished(org: string, caller: Caller): Promise<Unfinished>
  get(ref: RolloutRef, caller: Caller): Promise<RolloutView>
  /** What is wrong with the documents of rollouts, of all organizations. */
  doctor(caller: Caller): AsyncIterable<DoctorFinding>
  /** Steps that are ready and due; those proven not to be needed are skipped on the way. */
  claim(ref: RolloutRef, options: ClaimOptions, caller: Caller): Promise<Claims>
  /** Says which of the claims are lost. Locks are renewed with them. */
  renew(
    ref: RolloutRef,
    claims: { tokens: readonly string[]; leaseMs: number },
    caller: Caller,
  ): Promise<string[]>
  /** The unit of a step that the holder of this token has claimed. */
  claimed(
    ref: RolloutRef,
    unit: string,
    token: string,
    caller: Caller,
  ): Promise<{ readonly id: string; readonly name: string }>
  /** Locks the unit (unless the engine does) and takes its inputs, which records the reads. LOCKED: try again. */
  begin(
    ref: RolloutRef,
    unit: string,
    options: { token: string; leaseMs: number; lock: boolean },
    caller: Caller,
  ): Promise<StepStart>
  /**
   * Ends a step, lets its lock go, lets the outputs decide about its dependents, and claims what comes next. Told again
   * it changes nothing, and brings the claims that it brought.
   */
  end(
    ref: RolloutRef,
    unit: string,
    options: { token: string; end: StepEnd; next?: ClaimOptions },
    caller: Caller,
  ): Promise<Claims>
  skip(ref: RolloutRef, unit: string, reason: string, caller: Caller): Promise<RolloutView>
  pause(ref: RolloutRef, caller: Caller): Promise<RolloutView>
  /** Failed steps get another try. */
  resume(ref: RolloutRef, caller: Caller): Promise<RolloutView>
  cancel(ref: RolloutRef, caller: Caller): Promise<RolloutView>
}
