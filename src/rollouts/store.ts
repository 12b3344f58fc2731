import type { Clock } from '../base/clock.ts'
import { TacoError, badRequest } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import {
  type Answered,
  type Bucket,
  type DocumentKind,
  type Entry,
  createDocumentStore,
} from '../bucket/index.ts'
import { type Caller, type Event, type StateControl, parseOrgName } from '../state/index.ts'
import { type DamagedRollout, damageOf, damagedAmong, unitsIn } from './unreadable.ts'
import { createEndedRollouts } from './finished-index.ts'
import { newsOf } from './events.ts'
import { rolloutIdOf, rolloutKey, rolloutsPrefix } from './layout.ts'
import { type Rollout, type Step, isKnownStep, rolloutFormat } from './model.ts'
import type { RolloutRef } from './services.ts'

export interface RolloutStore {
  get(ref: RolloutRef): Promise<Rollout>
  has(ref: RolloutRef): Promise<boolean>
  /** Undefined: there is one of this id. */
  create(rollout: Rollout, caller: Caller): Promise<Rollout | undefined>
  /**
   * Read, change, compare-and-swap, until it succeeds. `change` returns the same object if there is nothing to write;
   * its other results come from the attempt that succeeded. The events of the change are sent with it, and the caller's
   * request is recorded.
   */
  change<T>(
    ref: RolloutRef,
    caller: Caller,
    change: (
      rollout: Rollout,
      before: Answered | undefined,
    ) => Promise<{ readonly rollout: Rollout; readonly answer: T }>,
  ): Promise<{ readonly rollout: Rollout; readonly answer: T }>
  /** Under way, or with steps that still run; newest first. */
  unfinished(org: string): Promise<Read>
  /** Newest first: ids sort by time. */
  page(
    org: string,
    page: { readonly limit: number; readonly below?: string },
  ): Promise<Read & { next?: string }>
  /** Of all there are. */
  damaged(org: string): Promise<readonly DamagedRollout[]>
}

/** One that cannot be read takes nothing else with it. */
interface Read {
  readonly rollouts: readonly Rollout[]
  readonly damaged: readonly DamagedRollout[]
}

export function isRolloutId(text: string): boolean {
  return /^ro-[0-9A-Za-z]+$/.test(text)
}

/** Of all rollouts together, some 1.5 kB each: every rollout under way is looked through every second. */
const MOST_STEPS_KEPT = 50_000

/** Also said of what the caller may not see. */
export function noSuchRollout(id: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no rollout ${id}.`, {
    facts: { field: 'id', id },
    hint: 'See `taco rollout ls`.',
  })
}

const rolloutKind: DocumentKind<Rollout, RolloutRef, ReadonlySet<string>> = {
  name: 'rollout',
  format: rolloutFormat,
  keyOf({ org, id }) {
    if (!isRolloutId(id))
      throw badRequest('id', `${JSON.stringify(id)} is not a rollout id.`, 'See `taco rollout ls`.')
    return rolloutKey(parseOrgName(org), id)
  },
  missing: ({ id }) => noSuchRollout(id),
  cache: {
    most: MOST_STEPS_KEPT,
    sizeOf: ({ steps }) => 1 + steps.length,
    isWorthKeeping: (rollout) => !isOver(rollout),
  },
  salvage: unitsIn,
}

export function createRolloutStore(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly control: Pick<StateControl, 'outbox'>
}): RolloutStore {
  const { outbox } = deps.control
  const documents = createDocumentStore<Rollout, RolloutRef, Event, ReadonlySet<string>>(
    { ...deps, outbox },
    rolloutKind,
  )
  const ended = createEndedRollouts(deps.bucket)

  function told(before: Rollout | undefined, after: Rollout, caller: Caller): readonly Event[] {
    return newsOf(before, after).map(({ unit, type, data = {} }) =>
      outbox.make({ org: after.org, ...(unit === undefined ? {} : { unit }) }, { type, caller, data }),
    )
  }

  /** Newest first. */
  async function listed(org: string): Promise<readonly Entry[]> {
    return (await documents.entries(rolloutsPrefix(parseOrgName(org)))).toReversed()
  }

  return {
    get: async (ref) => (await documents.get(ref)).value,
    has: async (ref) => (await documents.find(ref)) !== undefined,
    async create(rollout, caller) {
      const events = told(undefined, rollout, caller)
      return (await documents.create(rollout, rollout, { events }))?.value
    },
    async change(ref, caller, change) {
      const done = await documents.change(
        ref,
        async (value, before) => {
          const { rollout, answer } = await change(value, before)
          return { value: rollout, events: told(value, rollout, caller), answer }
        },
        caller,
      )
      return { rollout: done.value, answer: done.answer }
    },
    async unfinished(org) {
      const all = await listed(org)
      const found = await documents.readAll(await ended.openOnes(org, all))
      const rollouts = found.loaded.flatMap(({ key, value, tag }) => {
        if (!isOver(value)) return [value]
        if (outbox.unsent(value.outbox).length === 0) ended.add(org, { key, tag })
        return []
      })
      await ended.save(org, all)
      return { rollouts, damaged: damagedAmong(found) }
    },
    async page(org, { limit, below }) {
      const end = below === undefined ? undefined : rolloutKey(parseOrgName(org), below)
      const all = (await listed(org)).filter(({ key }) => end === undefined || key < end)
      const own = all.slice(0, limit)
      const { loaded, unreadable } = await documents.readAll(own)
      const last = own.at(-1)
      return {
        rollouts: loaded.map(({ value }) => value),
        damaged: unreadable.map(damageOf),
        ...(all.length > limit && last !== undefined ? { next: rolloutIdOf(last.key) } : {}),
      }
    },
    async damaged(org) {
      return damagedAmong(await documents.readAll(await listed(org)))
    },
  }
}

function isOver({ status, steps }: Rollout): boolean {
  const isGone = (step: Step) => (step.status !== 'running' && isKnownStep(step)) || step.abandoned === true
  return (status === 'done' || status === 'cancelled') && steps.every(isGone)
}
