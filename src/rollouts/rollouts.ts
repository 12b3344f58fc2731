import { authorOf } from '../access/index.ts'
import { type Clock, isoTime } from '../base/clock.ts'
import { badRequest } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import { type Bucket, withoutRequest } from '../bucket/index.ts'
import { type Caller, type GraphFacts, type StateControl, parseOrgName } from '../state/index.ts'
import type { Doubt } from '../graph/index.ts'
import { claim, renew } from './decisions/claims.ts'
import { type FreshFacts, decideAll, freshFacts, usedIds, usesOf, verdictOn } from './decisions/decide.ts'
import { checkRollouts } from './doctor.ts'
import { createLeftSteps } from './abandoned-steps.ts'
import type { Rollout, Step } from './model.ts'
import type { ClaimOptions, ClaimView, RolloutRef, Rollouts, StartedRollout } from './services.ts'
import { afterEnd, createSteps } from './steps.ts'
import { createRolloutStore, isRolloutId } from './store.ts'
import {
  cancel,
  hasTold,
  held,
  isReady,
  pause,
  rename,
  resume,
  skipByHand,
  stepOf,
} from './decisions/transitions.ts'
import { viewDamaged, viewProgress, viewRollout } from './view.ts'
import { type WalkStep, rootsNamed, walkFrom } from './decisions/walk.ts'

export interface RolloutDeps {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly control: Pick<StateControl, 'graph' | 'outputs' | 'locks' | 'orgs' | 'outbox' | 'units'>
}

/** Rollouts over one bucket. Nothing is kept in memory: any server, any worker may go on where another stopped. */
export function createRollouts(deps: RolloutDeps): Rollouts {
  const { clock, ids, control } = deps
  const store = createRolloutStore(deps)
  const steps = createSteps(control, clock)
  const left = createLeftSteps({ store, steps, clock })

  async function allUnits(
    org: string,
    caller: Caller,
  ): Promise<{ asOf: number; units: readonly GraphFacts[] }> {
    const { asOf, units } = await control.graph.units(parseOrgName(org), {}, caller)
    return { asOf, units: units.map((unit) => unit.facts()) }
  }

  /**
   * Decides what can be decided, then claims; answers with what each claimed unit uses. By facts of its own: an attempt
   * that lost its race may have seen units before the winner applied them.
   */
  async function decideAndClaim(
    rollout: Rollout,
    options: ClaimOptions | undefined,
    doubt: Doubt,
    caller: Caller,
  ): Promise<{ rollout: Rollout; answer: ClaimView[] }> {
    const facts = freshFacts(control.graph, rollout.org, caller, doubt)
    const now = clock.now()
    const decided = await decideAll(rollout, facts, now)
    if (options === undefined || (options.most < 1 && options.request === undefined))
      return { rollout: decided, answer: [] }
    const named = await withNames(decided, options, facts, now, caller)
    const { rollout: next, claimed } = claim(named, {
      ...options,
      now,
      canDo: workable(options),
      token: () => ids.id('rs'),
      lock: () => ids.id('rl'),
      before: (id) => {
        const head = facts.of(id)?.head ?? null
        return head === null ? null : { commit: head.commit, version: head.version }
      },
    })
    await facts.load(claimed.map(({ unit }) => unit.id))
    await facts.load(claimed.flatMap(({ unit }) => usedIds(facts.of(unit.id))))
    const keyOf = await control.graph.fingerprintKeys(rollout.org, caller)
    return { rollout: next, answer: claimed.map((step) => viewClaim(step, facts, keyOf(step.unit.id))) }
  }

  /** Names are as of the start, or of the last look: workers that go by names need the current ones. */
  async function withNames(
    rollout: Rollout,
    options: ClaimOptions,
    facts: FreshFacts,
    now: number,
    caller: Caller,
  ) {
    const canDo = workable(options)
    const ready = rollout.steps.filter((step) => step.due !== undefined && isReady(rollout, step, now))
    const own = ready.filter(canDo).slice(0, options.most * 4)
    await facts.load(own.map(({ unit }) => unit.id))
    const names = new Map(own.map(({ unit }) => [unit.id, facts.of(unit.id)?.name ?? unit.name]))
    if (ready.some((step) => !canDo(step)))
      for (const unit of (await allUnits(rollout.org, caller)).units)
        if (!names.has(unit.id)) names.set(unit.id, unit.name)
    return rename(rollout, names)
  }

  /** A step whose inputs changed runs for sure; of the others only the worker can tell, which knows their code. */
  function begun(
    ref: RolloutRef,
    rollout: Rollout,
    claims: readonly ClaimView[],
    options: ClaimOptions | undefined,
    caller: Caller,
  ): Promise<ClaimView[]> {
    return Promise.all(
      claims.map(async (one) => {
        if (options?.begin !== true || one.fingerprint !== null) return one
        const step = stepOf(rollout, one.unit.id)
        // An engine may have been left at work: only the worker can see it, and begins when it has ended.
        if (step.earlier !== undefined) return one
        const { leaseMs } = options
        // Whatever is wrong, the worker hears of it when it begins the step itself.
        const begin = steps.begin(ref, step, { leaseMs, lock: true }, caller)
        return { ...one, start: await begin.catch(() => null) }
      }),
    )
  }

  async function changed(ref: RolloutRef, caller: Caller, change: (rollout: Rollout) => Rollout) {
    const done = await store.change(ref, caller, (rollout, before) =>
      Promise.resolve({ rollout: before === undefined ? change(rollout) : rollout, answer: null }),
    )
    return viewRollout(done.rollout)
  }

  /** The rollout that this very request has started, with the claims that it brought. */
  async function startedBefore(
    ref: RolloutRef,
    options: ClaimOptions | undefined,
    doubt: Doubt,
    caller: Caller,
  ): Promise<StartedRollout> {
    const { rollout, answer } = await store.change(ref, withoutRequest(caller), (current) =>
      decideAndClaim(current, options, doubt, caller),
    )
    return { ...viewRollout(rollout), claims: await begun(ref, rollout, answer, options, caller) }
  }

  return {
    async plan(org, { from, downstream, keys }, caller) {
      const doubt = await left.note(org)
      const { asOf, units } = await allUnits(org, caller)
      const roots = from.length === 0 ? units.map(({ id }) => id) : rootsNamed(units, from)
      const known = new Map(units.map((unit) => [unit.id, unit]))
      const facts: FreshFacts = { load: () => Promise.resolve(), of: (id) => known.get(id), doubt }
      const inside = new Set(roots)
      const walk = walkFrom(units, roots).filter(({ unit }) => downstream || inside.has(unit.id))
      const keyOf = keys === true ? await control.graph.fingerprintKeys(org, caller) : () => null
      const only = downstream ? undefined : inside
      return {
        asOf: isoTime(asOf),
        steps: walk.map((step) => ({
          ...planned(step, facts, only),
          fingerprintKey: keyOf(step.unit.id),
        })),
      }
    },

    async start(org, { from, claim: wanted }, caller) {
      if (from.length === 0)
        throw badRequest(
          'from',
          'No starting unit was given.',
          'Name the units that changed: --from network.',
        )
      const doubt = await left.note(org)
      const now = clock.now()
      const fresh = `ro-${ids.ulid(now)}`
      const id = caller.request === undefined ? fresh : await control.orgs.reserve(org, fresh, caller)
      const options = wanted && { ...wanted, ...(caller.request && { request: caller.request.key }) }
      if (id !== fresh && (await store.has({ org, id })))
        return startedBefore({ org, id }, options, doubt, caller)
      const { units } = await allUnits(org, caller)
      const roots = rootsNamed(units, from)
      const rollout: Rollout = {
        // The store fills these in.
        v: 1,
        rev: 1,
        nonce: '',
        outbox: [],
        id,
        org,
        createdAt: now,
        ...authorOf(caller),
        status: 'active',
        roots: [...roots],
        steps: walkFrom(units, roots).map(firstStep),
      }
      const first = await decideAndClaim(rollout, options, doubt, caller)
      const made = await store.create(first.rollout, caller)
      if (made === undefined) return startedBefore({ org, id }, options, doubt, caller)
      const claims = await begun({ org, id: made.id }, made, first.answer, options, caller)
      return { ...viewRollout(made), claims }
    },

    async list(org, { limit, cursor }, caller) {
      if (cursor !== undefined && !isRolloutId(cursor))
        throw badRequest('cursor', 'The cursor is invalid.', 'Leave it out to start from the newest.')
      const below = cursor === undefined ? {} : { below: cursor }
      const { rollouts, damaged, next } = await store.page(org, { limit, ...below })
      const all = [...rollouts.map(viewRollout), ...damaged.map((one) => viewDamaged(org, one))]
      // A mistyped organization should be reported.
      if (all.length === 0) await control.graph.units(org, { damaged: 'left out' }, caller)
      return { items: all.toSorted((a, b) => (a.id < b.id ? 1 : -1)), next }
    },
    unfinished: left.unfinished,
    doctor: (caller) => checkRollouts(control, store, caller),
    get: async (ref) => viewRollout(await store.get(ref)),

    async claim(ref, options, caller) {
      const doubt = await left.note(ref.org)
      const { rollout, answer } = await store.change(ref, caller, (current) =>
        decideAndClaim(current, options, doubt, caller),
      )
      return {
        rollout: viewProgress(rollout),
        claims: await begun(ref, rollout, answer, options, caller),
      }
    },

    async renew(ref, { tokens, leaseMs }, caller) {
      const done = await store.change(ref, caller, (rollout) => {
        const renewed = renew(rollout, tokens, { now: clock.now(), leaseMs })
        return Promise.resolve({ rollout: renewed.rollout, answer: renewed.lost })
      })
      const kept = done.rollout.steps.filter(
        ({ claim: own }) => own !== undefined && tokens.includes(own.token),
      )
      await Promise.all(kept.map((step) => steps.renewLock(ref, step, leaseMs, caller)))
      return [...done.answer]
    },

    async claimed(ref, unit, token) {
      const { id, name } = held(await store.get(ref), unit, token).unit
      return { id, name }
    },

    async begin(ref, unit, { token, leaseMs, lock }, caller) {
      const step = held(await store.get(ref), unit, token)
      return steps.begin(ref, step, { leaseMs, lock }, caller)
    },

    async end(ref, unit, { token, end, next }, caller) {
      const seen = await store.get(ref)
      const step = hasTold(seen, unit, token) ? undefined : held(seen, unit, token)
      // Before it is settled: a late worker must not be called dead after it has reported its end.
      const doubt = await left.note(ref.org)
      const own = step && (await steps.settle(ref, step, end, caller))
      const options = next && { ...next, request: token }
      const { rollout, answer } = await store.change(ref, caller, (current) => {
        const ending = { token, end, facts: own, now: clock.now() }
        const after = hasTold(current, unit, token) ? current : afterEnd(current, unit, ending)
        return decideAndClaim(after, options, doubt, caller)
      })
      return { rollout: viewProgress(rollout), claims: await begun(ref, rollout, answer, options, caller) }
    },

    async skip(ref, unit, reason, caller) {
      const doubt = await left.note(ref.org)
      const done = await store.change(ref, caller, async (rollout, before) => {
        if (before !== undefined) return { rollout, answer: [] }
        const skipped = skipByHand(rollout, unit, { reason, now: clock.now() })
        await left.abandonAll(rollout, stepOf(rollout, unit).unit.id)
        return decideAndClaim(skipped, undefined, doubt, caller)
      })
      return viewRollout(done.rollout)
    },
    pause: (ref, caller) => changed(ref, caller, pause),
    resume: (ref, caller) => changed(ref, caller, resume),
    async cancel(ref, caller) {
      const done = await store.change(ref, caller, async (rollout, before) => {
        if (before !== undefined) return { rollout, answer: null }
        const cancelled = cancel(rollout, clock.now())
        // Nobody will go on with what killed workers left half done.
        return { rollout: await left.abandonAll(cancelled), answer: null }
      })
      return viewRollout(done.rollout)
    },
  }
}

/** Workers have the folders of some units only. */
function workable({ units }: ClaimOptions): (step: Step) => boolean {
  if (units === undefined) return () => true
  const names = new Set(units)
  return ({ unit }) => names.has(unit.name)
}

function firstStep({ unit, needs, isRoot }: WalkStep): Step {
  return {
    unit: { ...unit },
    needs: [...needs],
    isRoot,
    status: 'waiting',
    attempts: 0,
    ...(isRoot ? { due: 'the rollout starts here' } : {}),
  }
}

function planned(
  { unit, needs, isRoot }: WalkStep,
  facts: FreshFacts,
  only: ReadonlySet<string> | undefined,
) {
  const own = facts.of(unit.id)
  return {
    unit: { ...unit },
    needs: needs.filter((id) => only?.has(id) ?? true),
    isRoot,
    version: own?.head?.version ?? null,
    fingerprint: own === undefined ? null : fingerprintThatProves(own, facts),
    uses: own === undefined ? [] : usesOf(own, facts),
  }
}

function viewClaim(step: Step, facts: FreshFacts, fingerprintKey: string): ClaimView {
  const unit = facts.of(step.unit.id)
  return {
    unit: step.unit,
    token: step.claim?.token ?? '',
    until: isoTime(step.claim?.until ?? 0),
    attempt: step.attempts,
    why: step.due ?? '',
    version: unit?.head?.version ?? null,
    // A worker that was killed at it may have left it half done.
    fingerprint: unit === undefined || step.earlier !== undefined ? null : fingerprintThatProves(unit, facts),
    fingerprintKey,
    uses: unit === undefined ? [] : usesOf(unit, facts),
    start: null,
  }
}

/**
 * A fingerprint is taken before the inputs are: if they changed in between, it says less than the receipt. So it counts
 * only while the receipt agrees.
 */
function fingerprintThatProves(unit: GraphFacts, facts: FreshFacts): string | null {
  return verdictOn(unit, facts).kind === 'skip' ? unit.fingerprint : null
}
