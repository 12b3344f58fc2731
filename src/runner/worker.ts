import { randomUUID } from 'node:crypto'
import { isTacoError, messageOf } from '../base/errors.ts'
import { isAway } from '../entry/cli/terminal/exit-codes.ts'
import { claimsAnswer, lostAnswer } from '../entry/cli/api/rollout-answers.ts'
import type { ClaimAnswer, ClaimsAnswer, ProgressAnswer } from '../entry/cli/api/rollout-answers.ts'
import { check } from '../entry/cli/api/check-answer.ts'
import { runStep, stepPath } from './step.ts'
import type { Bench, Hold, StepEnd } from './step.ts'
import type { Repository } from '../entry/cli/config/open-repository.ts'
import type { Signal } from '../entry/cli/world.ts'

export interface WorkOptions {
  /** Shown to others. */
  readonly name: string
  /** Steps at once. */
  readonly jobs: number
  readonly renewEveryMs: number
  /** How often to look for what others left to do. */
  readonly lookEveryMs: number
  /** How long a server may be away before the worker gives up what it has to tell. */
  readonly patienceMs: number
  onStart(claim: ClaimAnswer): void
  onEnd(claim: ClaimAnswer, end: StepEnd): void
  /** There is nothing to do here until others have ended their steps. Told at first, and then this often. */
  onWait(): void
  readonly sayEveryMs: number
}

interface Worker {
  /** Shown to others. */
  readonly name: string
  readonly leaseMs: number
  readonly repository: Repository
}

/** What a worker asks for; also by whoever starts a rollout for it. */
export function claiming(worker: Worker, most: number, begin: boolean) {
  const units = worker.repository.project.units.map((unit) => unit.name)
  return { worker: worker.name, most, leaseMs: worker.leaseMs, units, begin }
}

/**
 * Works on a rollout until nothing is left that this worker could do. `first` is what it was given when the rollout was
 * started for it. Gives the signal that ended it early.
 */
export async function work(
  bench: Bench,
  options: WorkOptions,
  first?: ClaimsAnswer,
): Promise<Signal | undefined> {
  const { client, rollout: id, leaseMs } = bench
  const path = `/v1/rollouts/${encodeURIComponent(id)}`
  const self: Worker = { name: options.name, leaseMs, repository: bench.repository }
  const holds = new Map<string, Hold>()
  /** Steps under way and those asked for: never more than `jobs`. */
  let taken = 0
  /** Steps that the rollout has in our name: also while their end is being told. */
  let ours = 0
  let isStopping = false
  /** What ended is not even told any more if that takes long. */
  let isHurried = false
  let latest: ProgressAnswer | undefined
  let failure: unknown
  let wake = () => {}
  let saysAgainAt = -Infinity

  /** Engines that lock by themselves cannot use a lock that comes with the claim. */
  let begins = true

  function accept({ rollout, claims }: ClaimsAnswer): void {
    latest = rollout
    taken += claims.length
    for (const claim of claims) void hold(claim)
  }

  /** Asks with whatever request may bring new steps, for as many as there is room for. */
  async function ask(
    send: (next: ReturnType<typeof claiming> | undefined) => Promise<unknown>,
  ): Promise<void> {
    const room = isStopping ? 0 : options.jobs - taken
    taken += room
    try {
      accept(check(claimsAnswer, await send(room > 0 ? claiming(self, room, begins) : undefined)))
    } finally {
      taken -= room
      wake()
    }
  }

  /** Servers may be started anew at any time; what an engine took an hour for is not given up for that. */
  async function patiently<T>(
    send: () => Promise<T>,
    mayWait: () => boolean,
    say = (_: string) => {},
  ): Promise<T> {
    const until = bench.world.now() + options.patienceMs
    let told = false
    for (;;) {
      try {
        return await send()
      } catch (error) {
        if (!isAway(error) || !mayWait() || bench.world.now() >= until) throw error
        if (!told) say(`waiting: ${messageOf(error)}`)
        told = true
        await new Promise((done) => setTimeout(done, options.lookEveryMs))
      }
    }
  }

  async function hold(claim: ClaimAnswer): Promise<void> {
    const own: Hold = {
      claim,
      engine: undefined,
      isBegun: false,
      hasOwnLock: false,
      isStopping,
      isLost: false,
    }
    holds.set(claim.token, own)
    ours += 1
    options.onStart(claim)
    try {
      const end = await runStep(bench, own)
      holds.delete(claim.token)
      taken -= 1
      if (own.hasOwnLock) begins = false
      if (own.isLost) return
      options.onEnd(claim, end)
      await tell(claim, end)
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
      await ask((next) => {
        const send = () => {
          // What the first telling may have brought is asked for even then, to be given back.
          const wanted = next !== undefined && isStopping ? { ...next, most: 0, begin: false } : next
          const json = { token, end, ...(wanted === undefined ? {} : { next: wanted }) }
          return client.json('POST', stepPath(id, unit.id, 'end'), { json })
        }
        return patiently(
          send,
          () => !isHurried,
          (line) => bench.say(unit.name, line),
        )
      })
    } catch (error) {
      // The claim ran out while we were away; whoever has it now finds the work done.
      if (!isTacoError(error, 'CONFLICT')) throw error
      bench.say(unit.name, error.message)
      // Or it was applied meanwhile with other code: then whoever takes it next applies it, and need not wait for that.
      if (end.kind === 'unchanged') await tell(claim, { kind: 'returned' })
    }
  }

  /** Once: at the second interrupt an engine ends at once, and what it made is stored nowhere. */
  function interrupt(own: Hold): void {
    if (own.isStopping) return
    own.isStopping = true
    own.engine?.signal('SIGINT')
  }

  async function renew(): Promise<void> {
    const tokens = [...holds].flatMap(([token, { isLost }]) => (isLost ? [] : [token]))
    if (tokens.length === 0) return
    const answer = await client.json('POST', `${path}/renew`, { json: { tokens, leaseMs } })
    for (const token of check(lostAnswer, answer).lost) {
      const lost = holds.get(token)
      if (lost === undefined || lost.isLost) continue
      lost.isLost = true
      interrupt(lost)
      bench.say(lost.claim.unit.name, 'another worker took this step over')
    }
  }

  let heard: Signal | undefined
  let presses = 0
  const stop = (signal: Signal) => {
    // A person who presses Ctrl-C again will not wait. Others, such as CI, send one signal after the other by habit.
    if (signal === 'SIGINT') presses += 1
    const isUrgent = signal === 'SIGINT' && presses > 1
    isStopping = true
    isHurried ||= isUrgent
    heard ??= signal
    for (const own of holds.values()) {
      if (isUrgent) own.engine?.signal('SIGINT')
      else interrupt(own)
    }
    wake()
  }

  const release = bench.world.onSignal(stop)
  // A renewal that fails is tried again long before the lease ends; one that goes on failing shows in the next request.
  const renewing = setInterval(() => void renew().catch(() => {}), options.renewEveryMs)
  try {
    const none = claiming(self, 0, false)
    const claim = (mayWait: () => boolean) => {
      const request = randomUUID()
      const send = (next = none) => client.json('POST', `${path}/claims`, { json: { ...next, request } })
      return ask((next) => patiently(() => send(next), mayWait))
    }
    if (first === undefined) await claim(() => false)
    else accept(first)
    while (failure === undefined && mayGoOn(latest, taken, isStopping)) {
      if (taken === 0 && bench.world.now() >= saysAgainAt) {
        saysAgainAt = bench.world.now() + options.sayEveryMs
        options.onWait()
      }
      const isOthersTurn = taken < options.jobs && !isStopping && hasOthers(latest, ours)
      // Whatever else wakes it has asked for more already.
      const isTime = await new Promise<boolean>((resolve) => {
        const timer = isOthersTurn ? setTimeout(() => resolve(true), options.lookEveryMs) : undefined
        wake = () => {
          clearTimeout(timer)
          resolve(false)
        }
      })
      if (isTime && !isStopping && failure === undefined) await claim(() => !isStopping)
    }
  } catch (error) {
    failure ??= error
    isStopping = true
  }
  try {
    // Engines go on after a failure, too, and need their locks to store what they make.
    while (ours > 0) await new Promise<void>((resolve) => (wake = resolve))
  } finally {
    clearInterval(renewing)
    release()
  }
  if (failure !== undefined) throw failure
  return heard
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
