import { TacoError } from '../../base/errors.ts'
import { didYouMean, nearest } from '../../base/text/nearest.ts'
import {
  type Proof,
  type Rollout,
  type Step,
  type StepResult,
  isKnownRollout,
  isKnownStep,
} from '../model.ts'
import type { Verdict } from './proof.ts'

/**
 * Every change of a rollout, as pure functions of the document, the request and the time. They refuse by throwing;
 * the store repeats read, change and compare-and-swap until one of them holds.
 */

const isSettled = ({ status }: Step) => status === 'applied' || status === 'skipped'

export function isExpired(step: Step, now: number): boolean {
  return step.status === 'running' && (step.claim?.until ?? 0) <= now
}

/** Its worker is gone, and its unit does not say so yet. */
export function isLeft(step: Step, now: number): boolean {
  return step.abandoned !== true && isExpired(step, now)
}

/** Waiting, or held by a worker that is gone; and everything it needs is settled. */
export function isReady(rollout: Rollout, step: Step, now: number): boolean {
  if (step.status !== 'waiting' && !isExpired(step, now)) return false
  return step.needs.every((id) => isSettled(stepOf(rollout, id)))
}

/** Steps that can be decided now. */
export function undecided(rollout: Rollout, now: number): readonly Step[] {
  return rollout.steps.filter((step) => step.due === undefined && isReady(rollout, step, now))
}

/** Skips what is proven not to be needed and notes of the others why they are. */
export function decide(rollout: Rollout, verdicts: ReadonlyMap<string, Verdict>, now: number): Rollout {
  const decided = [...verdicts].map(([unit, verdict]) => {
    const step = stepOf(rollout, unit)
    return verdict.kind === 'run'
      ? { ...step, due: verdict.why }
      : { ...ended(step, now), status: 'skipped' as const, proof: verdict.proof }
  })
  return close(withSteps(rollout, decided), now)
}

/** Names of units as they are now, by id. */
export function rename(rollout: Rollout, names: ReadonlyMap<string, string>): Rollout {
  const renamed = rollout.steps.flatMap((step) => {
    const name = names.get(step.unit.id) ?? step.unit.name
    return name === step.unit.name ? [] : [{ ...step, unit: { ...step.unit, name } }]
  })
  return withSteps(rollout, renamed)
}

export function finish(
  rollout: Rollout,
  unit: string,
  end: { readonly token: string; readonly now: number; readonly result: StepResult },
): Rollout {
  const step = ended(toldBy(rollout, unit, end.token), end.now)
  return close(withStep(rollout, { ...step, status: 'applied', result: end.result }), end.now)
}

export function fail(
  rollout: Rollout,
  unit: string,
  end: {
    readonly token: string
    readonly now: number
    readonly reason: string
    readonly result?: StepResult
  },
): Rollout {
  const step = ended(toldBy(rollout, unit, end.token), end.now)
  const { result } = end
  return withStep(rollout, {
    ...step,
    status: 'failed',
    reason: end.reason,
    ...(result === undefined ? {} : { result }),
  })
}

/** The worker stops; another may continue with it at once. */
export function giveBack(rollout: Rollout, unit: string, token: string): Rollout {
  return withStep(rollout, {
    ...without(toldBy(rollout, unit, token), 'claim', 'abandoned', 'startedAt'),
    status: 'waiting',
  })
}

/** By the holder of the claim, who found nothing to do. */
export function skipByProof(
  rollout: Rollout,
  unit: string,
  skip: { readonly proof: Proof; readonly now: number; readonly token: string },
): Rollout {
  const step = toldBy(rollout, unit, skip.token)
  return close(
    withStep(rollout, { ...ended(without(step, 'due'), skip.now), status: 'skipped', proof: skip.proof }),
    skip.now,
  )
}

/** By a person, who answers for it: dependents use the current outputs. */
export function skipByHand(
  rollout: Rollout,
  unit: string,
  skip: { readonly reason: string; readonly now: number },
): Rollout {
  refuseEnded(rollout)
  const step = stepOf(rollout, unit)
  if (!isKnownStep(step)) throw leftToNewer(`${step.unit.name} is ${step.status}`)
  if (isSettled(step))
    throw refused(`${step.unit.name} is already ${step.status}.`, 'There is nothing to skip.')
  if (step.status === 'running' && !isExpired(step, skip.now)) {
    throw refused(
      `${step.unit.name} is being applied by ${step.claim?.worker ?? 'a worker'}.`,
      'Wait until it ends, or stop that worker first.',
    )
  }
  const skipped = { ...ended(step, skip.now), status: 'skipped' as const, reason: skip.reason }
  return close(withStep(rollout, skipped), skip.now)
}

export function pause(rollout: Rollout): Rollout {
  refuseEnded(rollout)
  return { ...rollout, status: 'paused' }
}

/** Failed steps get another try. */
export function resume(rollout: Rollout): Rollout {
  refuseEnded(rollout)
  const steps = rollout.steps.map((step) =>
    step.status === 'failed'
      ? { ...without(step, 'reason', 'result', 'endedAt', 'startedAt'), status: 'waiting' as const }
      : step,
  )
  return { ...rollout, steps, status: 'active' }
}

/** Their units say so now. */
export function abandon(rollout: Rollout, steps: readonly Step[]): Rollout {
  return withSteps(
    rollout,
    steps.map((step) => ({ ...step, abandoned: true })),
  )
}

/** What is running ends by itself; nothing more begins. */
export function cancel(rollout: Rollout, now: number): Rollout {
  refuseUnknown(rollout)
  if (rollout.status === 'done') throw refused('The rollout is done.', 'There is nothing left to cancel.')
  return rollout.status === 'cancelled' ? rollout : { ...rollout, status: 'cancelled', endedAt: now }
}

export function stepOf(rollout: Rollout, unit: string): Step {
  const step = byId(rollout).get(unit) ?? rollout.steps.find((one) => one.unit.name === unit)
  if (step !== undefined) return step
  const known = rollout.steps.map((one) => one.unit.name)
  const guess = nearest(unit, known)
  const all = `See \`taco rollout status ${rollout.id}\`.`
  throw new TacoError('NOT_FOUND', `${unit} is not part of the rollout ${rollout.id}.`, {
    facts: { field: 'unit', unit, known, ...(guess === undefined ? {} : { nearest: guess }) },
    hint: didYouMean(guess, all),
  })
}

/** Whether the holder of this claim has reported its end before, and no one else since. */
export function hasTold(rollout: Rollout, unit: string, token: string): boolean {
  return stepOf(rollout, unit).told === token
}

function toldBy(rollout: Rollout, unit: string, token: string): Step {
  return { ...held(rollout, unit, token), told: token }
}

/** Refuses everyone but the holder of the claim. */
export function held(rollout: Rollout, unit: string, token: string): Step {
  const step = stepOf(rollout, unit)
  if (step.status === 'running' && step.claim?.token === token) return step
  throw new TacoError(
    'CONFLICT',
    `The claim on ${step.unit.name} expired, and another worker has taken the step over.`,
    {
      facts: { unit: step.unit.name, status: step.status, worker: step.claim?.worker ?? null },
      hint: `See \`taco rollout status ${rollout.id}\`.`,
    },
  )
}

function ended(step: Step, now: number): Step {
  return { ...without(step, 'claim', 'earlier', 'abandoned'), endedAt: now }
}

function close(rollout: Rollout, now: number): Rollout {
  const isOpen = rollout.status === 'active' || rollout.status === 'paused'
  if (!isOpen || !rollout.steps.every(isSettled)) return rollout
  return { ...rollout, status: 'done', endedAt: now }
}

function refuseEnded(rollout: Rollout): void {
  refuseUnknown(rollout)
  const { id, status } = rollout
  if (status === 'done' || status === 'cancelled')
    throw refused(`The rollout ${id} is ${status}.`, 'Start another with `taco rollout start`.')
}

function refuseUnknown(rollout: Rollout): void {
  if (!isKnownRollout(rollout)) throw leftToNewer(`The rollout ${rollout.id} is ${rollout.status}`)
}

function leftToNewer(what: string): TacoError {
  return new TacoError('BUCKET_NEWER', `${what}, which only a newer version of OpenTaco knows.`, {
    hint: 'Upgrade OpenTaco, or use a newer server.',
  })
}

function refused(message: string, hint: string): TacoError {
  return new TacoError('CONFLICT', message, { hint })
}

function withStep(rollout: Rollout, step: Step): Rollout {
  return withSteps(rollout, [step])
}

export function withSteps(rollout: Rollout, steps: readonly Step[]): Rollout {
  if (steps.length === 0) return rollout
  const changed = new Map(steps.map((step) => [step.unit.id, step]))
  return { ...rollout, steps: rollout.steps.map((one) => changed.get(one.unit.id) ?? one) }
}

const indexes = new WeakMap<Rollout, ReadonlyMap<string, Step>>()

/** Every step asks for those it needs, so looking them up must not take longer the more there are. */
function byId(rollout: Rollout): ReadonlyMap<string, Step> {
  let index = indexes.get(rollout)
  if (index === undefined) {
    index = new Map(rollout.steps.map((step) => [step.unit.id, step]))
    indexes.set(rollout, index)
  }
  return index
}

export function without(step: Step, ...fields: readonly string[]): Step {
  return Object.fromEntries(Object.entries(step).filter(([name]) => !fields.includes(name))) as Step
}
