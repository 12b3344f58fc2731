import { isTacoError } from '../../base/errors.ts'
import { claimsAnswer, lostAnswer, rolloutAnswer } from './rollout-answers.ts'
import type { ClaimAnswer, ProgressAnswer, RolloutAnswer } from './rollout-answers.ts'
import { check } from './shape.ts'
import { runStep, stepPath } from './worker-step.ts'
import type { Bench, Hold, StepEnd } from './worker-step.ts'
import type { Signal } from './wiring.ts'

export interface WorkOptions {
  /** Shown to others. */
  readonly name: string
  /** Steps at once. */
  readonly jobs: number
  readonly renewEveryMs: number
  /** How often to look for what others left to do. */
  readonly lookEveryMs: number
  /** On a terminal Ctrl-C reaches engines by itself. */
  readonly engineHearsInterrupt: boolean
  onStart(claim: ClaimAnswer): void
  onEnd(claim: ClaimAnswer, end: StepEnd): void
}

/** Works on a rollout until nothing is left that this worker could do. Gives the rollout as it last was. */
export async function work(bench: Bench, options: WorkOptions): Promise<RolloutAnswer> {
  const { client, rollout: id, leaseMs } = bench
  const path = `/v1/rollouts/${encodeURIComponent(id)}`
  const units = bench.repository.project.units.map((unit) => unit.name)
  const holds = new Map<string, Hold>()
  /** Steps under way and those asked for: never more than `jobs`. */
  let taken = 0
  /** Steps that the rollout has in our name: also while their end is being told. */
  let ours = 0
  let isStopping = false
  let latest: ProgressAnswer | undefined
  let failure: unknown
  let wake = () => {}

  function claiming(most: number) {
    return { worker: options.name, most, leaseMs, units }
  }

  /** Asks with whatever request may bring new steps, for as many as there is room for. */
  async function ask(
    send: (next: ReturnType<typeof claiming> | undefined) => Promise<unknown>,
  ): Promise<void> {
    const room = isStopping ? 0 : options.jobs - taken
    taken += room
    try {
      const { rollout, claims } = check(claimsAnswer, await send(room > 0 ? claiming(room) : undefined))
      latest = rollout
      taken += claims.length
      for (const claim of claims) void hold(claim)
    } finally {
      taken -= room
      wake()
    }
  }

  async function hold(claim: ClaimAnswer): Promise<void> {
    const own: Hold = { claim, engine: undefined, isStopping, isLost: false }
    holds.set(claim.token, own)
    ours += 1
    options.onStart(claim)
    try {
      const end = await runStep(bench, own)
      holds.delete(claim.token)
      taken -= 1
      options.onEnd(claim, end)
      if (!own.isLost) await tell(claim, end)
    } catch (error) {
      failure ??= error
      isStopping = true
    } finally {
      holds.delete(claim.token)
      ours -= 1
      wake()
    }
  }

  async function tell(claim: ClaimAnswer, end: StepEnd): Promise<void> {
    const { token, unit } = claim
    try {
      await ask((next) =>
        client.json('POST', stepPath(id, unit.id, 'end'), {
          json: { token, end, ...(next === undefined ? {} : { next }) },
        }),
      )
    } catch (error) {
      // The claim ran out while we were away; whoever has it now finds the work done.
      if (!isTacoError(error, 'CONFLICT')) throw error
      bench.say(unit.name, error.message)
    }
  }

  async function renew(): Promise<void> {
    const tokens = [...holds.keys()]
    if (tokens.length === 0) return
    const answer = await client.json('POST', `${path}/renew`, { json: { tokens, leaseMs } })
    for (const token of check(lostAnswer, answer).lost) {
      const lost = holds.get(token)
      if (lost === undefined) continue
      lost.isLost = true
      lost.isStopping = true
      lost.engine?.signal('SIGINT')
      bench.say(lost.claim.unit.name, 'another worker took this step over')
    }
  }

  const stop = (signal: Signal) => {
    isStopping = true
    for (const own of holds.values()) {
      own.isStopping = true
      if (signal === 'SIGTERM' || !options.engineHearsInterrupt) own.engine?.signal('SIGINT')
    }
    wake()
  }

  const release = bench.world.onSignal(stop)
  // A renewal that fails is tried again long before the lease ends; one that goes on failing shows in the next request.
  const renewing = setInterval(() => void renew().catch(() => {}), options.renewEveryMs)
  try {
    const claim = () => ask((next) => client.json('POST', `${path}/claims`, { json: next ?? claiming(0) }))
    await claim()
    while (failure === undefined && mayGoOn(latest, taken, isStopping)) {
      const isOthersTurn = taken < options.jobs && !isStopping && hasOthers(latest, ours)
      await new Promise<void>((resolve) => {
        const timer = isOthersTurn ? setTimeout(resolve, options.lookEveryMs) : undefined
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      if (isOthersTurn && !isStopping && failure === undefined) await claim()
    }
  } finally {
    clearInterval(renewing)
    release()
  }
  while (ours > 0) await new Promise<void>((resolve) => (wake = resolve))
  if (failure !== undefined) throw failure
  return check(rolloutAnswer, await client.json('GET', path))
}

function mayGoOn(rollout: ProgressAnswer | undefined, taken: number, isStopping: boolean): boolean {
  if (taken > 0) return true
  if (isStopping || rollout === undefined || rollout.status !== 'active') return false
  return rollout.steps.running > 0
}

/** Somebody else is at work, or was: what they leave may be ours. */
function hasOthers(rollout: ProgressAnswer | undefined, own: number): boolean {
  return rollout !== undefined && rollout.steps.running > own
}
