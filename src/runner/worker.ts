import { randomUUID } from 'node:crypto'
import { isTacoError, messageOf } from '../base/errors.ts'
import type { ClaimOptions, ClaimView, Claims, StepEnd } from '../rollouts/index.ts'
import { openRunFolder } from './host/run-folder.ts'
import type { RunnerNeeds, RunnerOptions } from './needs.ts'
import { type Patience, patiently, repeatEvery } from './patience.ts'
import type { Repository } from './repository.ts'
import { type Hold, runStep } from './step.ts'

/** A worker on a rollout. */
export interface Worker {
  /** Settles when nothing is left that this worker could do, and none of its engines runs. */
  readonly ended: Promise<void>
  /** Starts no more steps. Engines are interrupted once, so that they end in order; their steps are given back. */
  stop(): void
  /** Interrupts engines again, which ends them at once, and does not wait for a server that is away. */
  hurry(): void
}

/** What a worker asks for. */
export function claiming(
  { project }: Repository,
  { worker, leaseMs }: Pick<RunnerOptions, 'worker' | 'leaseMs'>,
  most: number,
  begin: boolean,
): ClaimOptions {
  return { worker, most, leaseMs, units: project.units.map(({ name }) => name), begin }
}

/**
 * Works on a rollout until nothing is left that this worker could do. `first` are the claims that came with the start
 * of the rollout.
 */
export function startWorker(needs: RunnerNeeds, options: RunnerOptions, first?: Claims): Worker {
  const { api, clock, log, repository, report } = needs
  const { jobs, leaseMs, patienceMs, idleEveryMs } = options
  const renewEveryMs = leaseMs / 3
  /** How often to look for what others left to do. */
  const lookEveryMs = Math.min(500, leaseMs / 4)
  const runFolder = openRunFolder()
  const holds = new Map<string, Hold>()
  /** Steps under way and those asked for: never more than `jobs`. */
  let taken = 0
  /** Steps that the rollout has in our name: also while their end is being reported. */
  let ours = 0
  let isStopping = false
  let isHurried = false
  let latest: Claims['rollout'] | undefined
  let failure: unknown
  let wake = () => {}
  /** Engines that lock by themselves cannot use a lock that comes with the claim. */
  let begins = true

  function accept({ rollout, claims }: Claims): void {
    latest = rollout
    taken += claims.length
    for (const claim of claims) void hold(claim)
  }

  /** Asks with whatever request may bring new steps, for as many as there is room for. */
  async function ask(send: (next: ClaimOptions | undefined) => Promise<Claims>): Promise<void> {
    const room = isStopping ? 0 : jobs - taken
    taken += room
    try {
      accept(await send(room > 0 ? claiming(repository, options, room, begins) : undefined))
    } finally {
      taken -= room
      wake()
    }
  }

  /** Servers may be restarted at any time; what an engine took an hour for is not given up for that. */
  function whileAway<T>(
    call: () => Promise<T>,
    mayWait: () => boolean,
    onWait?: Patience['onWait'],
  ): Promise<T> {
    const mayPass = (error: Error) => mayWait() && api.isAway(error)
    const patience = { clock, forMs: patienceMs, everyMs: lookEveryMs, mayPass }
    return patiently(onWait === undefined ? patience : { ...patience, onWait }, call)
  }

  async function hold(claim: ClaimView): Promise<void> {
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
    report({ kind: 'started', unit: claim.unit.name, claim })
    try {
      const end = await runStep({ ...needs, runFolder }, options, own)
      holds.delete(claim.token)
      taken -= 1
      if (own.hasOwnLock) begins = false
      if (own.isLost) return
      report({ kind: 'ended', unit: claim.unit.name, end })
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

  async function tell(claim: ClaimView, end: StepEnd): Promise<void> {
    const { token, unit } = claim
    try {
      await ask((next) => {
        const send = () => {
          // What the first telling may have brought is asked for even then, to be given back.
          const wanted = next !== undefined && isStopping ? { ...next, most: 0, begin: false } : next
          return api.end(unit.id, { token, end, ...(wanted === undefined ? {} : { next: wanted }) })
        }
        return whileAway(
          send,
          () => !isHurried,
          (error) => report({ kind: 'waiting', unit: unit.name, error }),
        )
      })
    } catch (error) {
      // The claim expired while we were away; its next holder finds the work done.
      if (!isTacoError(error, 'CONFLICT')) throw error
      report({ kind: 'refused', unit: unit.name, error })
      // Or it was applied meanwhile with other code: then the next holder applies it, and need not wait for that.
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
    const patience = { clock, forMs: renewEveryMs, everyMs: renewEveryMs / 4, mayPass: api.isAway }
    for (const token of await patiently(patience, () => api.renew({ tokens, leaseMs }))) {
      const lost = holds.get(token)
      if (lost === undefined || lost.isLost) continue
      lost.isLost = true
      interrupt(lost)
      report({ kind: 'lost', unit: lost.claim.unit.name })
    }
  }

  function stop(): void {
    isStopping = true
    for (const own of holds.values()) interrupt(own)
    wake()
  }

  function hurry(): void {
    isStopping = true
    isHurried = true
    for (const own of holds.values()) {
      own.isStopping = true
      own.engine?.signal('SIGINT')
    }
    wake()
  }

  function claim(mayWait: () => boolean): Promise<void> {
    const request = randomUUID()
    const none = claiming(repository, options, 0, false)
    return ask((next = none) => whileAway(() => api.claim({ ...next, request }), mayWait))
  }

  /** Until something wakes it. True: until the time was over. */
  function nap(ms: number | undefined): Promise<boolean> {
    const woken = new AbortController()
    wake = () => woken.abort()
    if (ms === undefined)
      return new Promise((resolve) => woken.signal.addEventListener('abort', () => resolve(false)))
    return clock.sleep(ms, woken.signal).then(
      () => true,
      () => false,
    )
  }

  async function untilNothingIsLeft(): Promise<void> {
    let idleAgainAt = -Infinity
    if (first === undefined) await claim(() => false)
    else accept(first)
    while (failure === undefined && mayGoOn(latest, taken, isStopping)) {
      if (taken === 0 && clock.now() >= idleAgainAt) {
        idleAgainAt = clock.now() + idleEveryMs
        report({ kind: 'idle' })
      }
      const isOthersTurn = taken < jobs && !isStopping && hasOthers(latest, ours)
      // Whatever else wakes it has asked for more already.
      const isTime = await nap(isOthersTurn ? lookEveryMs : undefined)
      if (isTime && !isStopping && failure === undefined) await claim(() => !isStopping)
    }
  }

  async function work(): Promise<void> {
    // A renewal that fails is repeated long before the lease ends; one that goes on failing shows in the next request.
    const stopRenewing = repeatEvery(clock, renewEveryMs, () =>
      renew().catch((error: unknown) => log.info('claims were not renewed', { reason: messageOf(error) })),
    )
    try {
      await untilNothingIsLeft()
    } catch (error) {
      failure ??= error
      isStopping = true
    }
    // Engines go on after a failure, too, and need their locks to store what they make.
    while (ours > 0) await nap(undefined)
    stopRenewing()
    runFolder.remove()
    if (failure !== undefined) throw failure
  }

  return { ended: work(), stop, hurry }
}

function mayGoOn(rollout: Claims['rollout'] | undefined, taken: number, isStopping: boolean): boolean {
  if (taken > 0) return true
  if (isStopping || rollout === undefined || rollout.status !== 'active') return false
  return rollout.steps.running > 0
}

/** Somebody else is at work, or was: what they leave may be ours. */
function hasOthers(rollout: Claims['rollout'] | undefined, own: number): boolean {
  return rollout !== undefined && rollout.steps.running > own
}
