import { systemCaller } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { TacoError, isTacoError } from '../base/errors.ts'
import { type Caller, type GraphFacts, LockInfo, type StateControl, type UnitRef } from '../state/index.ts'
import { createInputs } from '../graph/index.ts'
import type { Rollout, Step, StepResult } from './model.ts'
import type { RolloutRef, StepEnd, StepStart } from './services.ts'
import { fail, finish, giveBack, isExpired, skipByProof, stepOf } from './decisions/transitions.ts'

type Control = Pick<StateControl, 'graph' | 'outputs' | 'locks' | 'units'>

/**
 * A lock outlives its claim by one lease: the next holder has time to find the engine that a killed worker left, and to
 * keep the lock for it.
 */
const LOCK_LEASES = 2

/** What a step does to its unit before and after the engine. */
export function createSteps(control: Control, clock: Clock) {
  const resolver = createInputs(control)

  /**
   * The lock belongs to the claim: it runs out with it, and a worker that was given up can no longer write. What the
   * step reads is read under it, so the receipt names exactly that.
   */
  async function lock(ref: RolloutRef, step: Step, leaseMs: number, caller: Caller): Promise<string> {
    const unit = { org: ref.org, unit: step.unit.id }
    const { worker } = claimOf(step)
    const id = lockOf(step)
    const info = LockInfo.parse({
      ID: id,
      Operation: 'OperationTypeApply',
      Info: `rollout ${ref.id}`,
      Who: worker,
      Created: new Date(clock.now()).toISOString(),
    })
    const lease = { leaseMs: LOCK_LEASES * leaseMs, reason: `rollout ${ref.id}` }
    const take = () => control.locks.lock(unit, info, lease, caller)
    try {
      await take()
    } catch (error) {
      const left = isTacoError(error, 'LOCKED') ? await lockLeft(unit, step, caller) : undefined
      if (left === undefined) throw error
      // The claim of a worker that is gone ran out; the lock it left goes with it.
      await control.locks.forceUnlock(unit, { id: left }, caller).catch(() => {
        throw error
      })
      await take()
    }
    return id
  }

  /** The lock of one of the workers that are gone, if the unit is still held by it. */
  async function lockLeft(unit: UnitRef, { earlier }: Step, caller: Caller): Promise<string | undefined> {
    if (earlier === undefined) return undefined
    const id = (await control.locks.get(unit, caller))?.id
    return earlier.find((lock) => lock === id)
  }

  /** The claim may have brought a lock along for an engine that takes its own. */
  async function release(ref: RolloutRef, step: Step, caller: Caller): Promise<void> {
    const unit = { org: ref.org, unit: step.unit.id }
    const id = lockOf(step)
    if ((await control.locks.get(unit, caller))?.id === id) await control.locks.unlock(unit, id, caller)
  }

  /** Under the lock, so that what is given here is what the receipt of the next write names. */
  async function inputs(
    org: string,
    facts: GraphFacts,
    run: string,
    caller: Caller,
  ): Promise<Record<string, string>> {
    const ref = { org, unit: facts.id }
    const given = await resolver.resolve(ref, { sensitive: true, run }, caller)
    // If everything is used, no list says what: the outputs that are current when the apply begins are what it can see.
    const whole = facts.dependencies.filter(({ outputs }) => outputs === null)
    const seen = await Promise.all(whole.map(({ on }) => control.graph.facts({ org, unit: on }, caller)))
    const reads = seen.flatMap((used) => (used?.head == null ? [] : [readOfAll(used.id, used.head)]))
    if (reads.length > 0) await control.outputs.recordReads(ref, reads, { run }, caller)
    return Object.fromEntries(
      given.inputs.flatMap(({ variable, json }) => (json === undefined ? [] : [[variable, json]])),
    )
  }

  return {
    async begin(
      ref: RolloutRef,
      step: Step,
      options: { leaseMs: number; lock: boolean },
      caller: Caller,
    ): Promise<StepStart> {
      const held = options.lock ? await lock(ref, step, options.leaseMs, caller) : null
      if (!options.lock) await release(ref, step, caller)
      const facts = await control.graph.facts({ org: ref.org, unit: step.unit.id }, caller)
      return {
        lock: held,
        inputs: facts === undefined ? {} : await inputs(ref.org, facts, lockOf(step), caller),
      }
    },

    /** Before the rollout hears of it, so that a crash in between leaves a step that is done again, not one undone. */
    async settle(ref: RolloutRef, step: Step, end: StepEnd, caller: Caller): Promise<GraphFacts | undefined> {
      const unit = { org: ref.org, unit: step.unit.id }
      const id = lockOf(step)
      const holds = (await control.locks.get(unit, caller))?.id === id
      if (end.kind === 'applied') {
        const now = clock.now()
        // Its lock may have expired too, and the current state may be another worker's, made by other code.
        const fingerprint = !holds && isExpired(step, now) ? null : end.fingerprint
        await control.graph.applied(unit, { run: id, since: step.startedAt ?? now, fingerprint }, caller)
      }
      if (isHalfDone(step, end)) await control.graph.failed(unit, { rollout: ref.id, run: id }, caller)
      if (holds) await control.locks.unlock(unit, id, caller)
      return control.graph.facts(unit, caller)
    },

    /**
     * The worker died and we cannot know how far its engine got, unless the unit recorded the outcome before the
     * rollout could.
     */
    async abandon(ref: RolloutRef, step: Step): Promise<void> {
      const unit = { org: ref.org, unit: step.unit.id }
      // What an engine that was left still writes under these is part of the same apply.
      const run = step.claim?.lock ?? step.claim?.token
      const own = run === undefined ? {} : { run }
      const locks = [...Object.values(own), ...(step.earlier ?? [])]
      await control.graph
        .failed(unit, { rollout: ref.id, ...own, locks }, systemCaller('rollouts'))
        .catch((error: unknown) => {
          if (!isTacoError(error, 'NOT_FOUND', 'GONE')) throw error
        })
    },

    async renewLock(ref: RolloutRef, step: Step, leaseMs: number, caller: Caller): Promise<void> {
      const unit = { org: ref.org, unit: step.unit.id }
      const renewed = (id: string) =>
        control.locks.renew(unit, id, LOCK_LEASES * leaseMs, caller).then(
          () => true,
          (error: unknown) => {
            // The engine has its own, or the step has not begun yet.
            if (isTacoError(error, 'LOCK_MISMATCH', 'NOT_LOCKED')) return false
            throw error
          },
        )
      if (await renewed(lockOf(step))) return
      // The next holder waits for the engine that was left, which still has to store what it made.
      const left = await lockLeft(unit, step, caller)
      if (left !== undefined) await renewed(left)
    },
  }
}

/** The document after a step has ended; pure. */
export function afterEnd(
  rollout: Rollout,
  unit: string,
  { token, end, facts, now }: { token: string; end: StepEnd; facts: GraphFacts | undefined; now: number },
): Rollout {
  const step = stepOf(rollout, unit)
  switch (end.kind) {
    case 'applied':
      return finish(rollout, unit, {
        token,
        now,
        result: resultOf(step, facts, now, { ...end, exitCode: 0 }),
      })
    case 'failed':
      return fail(rollout, unit, { token, now, reason: end.reason, result: resultOf(step, facts, now, end) })
    case 'unchanged': {
      const { fingerprint } = end
      const isHalfDone = facts?.failed !== undefined || step.earlier !== undefined
      if (facts?.head == null || facts.fingerprint !== fingerprint || isHalfDone)
        throw new TacoError('CONFLICT', `${step.unit.name} was last applied with another fingerprint.`, {
          hint: 'Apply it.',
        })
      const proof = { kind: 'fingerprint' as const, fingerprint, version: facts.head.version }
      return skipByProof(rollout, unit, { token, now, proof })
    }
    default:
      return giveBack(rollout, unit, token)
  }
}

function resultOf(
  step: Step,
  facts: GraphFacts | undefined,
  now: number,
  end: { readonly exitCode: number; readonly engineMs: number },
): StepResult {
  const before = step.before?.commit ?? 0
  const head = facts?.head ?? null
  return {
    version: head?.version ?? null,
    commitBefore: step.before?.commit ?? null,
    commitAfter: head?.commit ?? null,
    changed: head?.outputs?.filter(({ since }) => since > before).map(({ name }) => name) ?? [],
    exitCode: end.exitCode,
    ms: now - (step.startedAt ?? now),
    engineMs: end.engineMs,
  }
}

/** Also what an earlier worker left, if this one did not come to it. */
function isHalfDone({ earlier }: Step, end: StepEnd): boolean {
  if (end.kind !== 'failed' && end.kind !== 'returned') return false
  return earlier !== undefined || (end.begun ?? end.kind === 'failed')
}

function claimOf(step: Step): NonNullable<Step['claim']> {
  if (step.claim !== undefined) return step.claim
  throw new TacoError('CONFLICT', `${step.unit.name} is not claimed.`, { hint: 'Claim it first.' })
}

function lockOf(step: Step): string {
  const { lock, token } = claimOf(step)
  return lock ?? token
}

function readOfAll(from: string, { commit, outputs }: NonNullable<GraphFacts['head']>) {
  const digests = outputs && Object.fromEntries(outputs.map(({ name, digest }) => [name, digest]))
  return { from, names: null, commit, digests }
}
