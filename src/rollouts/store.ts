import { LRUCache } from 'lru-cache'
import type { Clock } from '../base/clock.ts'
import { TacoError, badRequest } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import {
  type Bucket,
  type Entry,
  type Loaded,
  type Tag,
  createDocument,
  readDocument,
  swapDocument,
} from '../bucket/index.ts'
import {
  type Caller,
  type Event,
  type OutboxDocument,
  type StateControl,
  noteRequest,
  parseOrgName,
  rolloutKey,
  rolloutsPrefix,
} from '../state/index.ts'
import { type DamagedRollout, damageOf } from './unreadable.ts'
import { createEndedRollouts } from './finished-index.ts'
import { newsOf } from './events.ts'
import { Rollout, type Step } from './model.ts'
import type { RolloutRef } from './services.ts'

export interface RolloutStore {
  get(ref: RolloutRef): Promise<Rollout>
  has(ref: RolloutRef): Promise<boolean>
  /** Undefined: there is one of this id. */
  create(rollout: Rollout, caller: Caller): Promise<Rollout | undefined>
  /**
   * Read, change, compare-and-swap, until it holds. `change` gives the same object if there is nothing to write; what
   * it gives besides comes from the attempt that held. What the change tells is told with it, and the request of the
   * caller is noted.
   */
  change<T>(
    ref: RolloutRef,
    caller: Caller,
    change: (rollout: Rollout) => Promise<{ readonly rollout: Rollout; readonly answer: T }>,
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

function idOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1, -'.json'.length)
}

export function isRolloutId(text: string): boolean {
  return /^ro-[0-9A-Za-z]+$/.test(text)
}

const MOST_ATTEMPTS = 100
const READ_AT_ONCE = 100
/** Of all rollouts together, some 1.5 kB each: whatever is under way is looked through every second. */
const MOST_STEPS_KEPT = 50_000

export function createRolloutStore(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly control: Pick<StateControl, 'outbox'>
}): RolloutStore {
  const { bucket, clock, ids } = deps
  const { outbox } = deps.control

  /** Checked against the bucket's tag, never trusted: a document of thousands of steps takes long to understand. */
  const known = new LRUCache<string, Loaded<Rollout>>({
    maxSize: MOST_STEPS_KEPT,
    sizeCalculation: ({ value }) => 1 + value.steps.length,
  })
  const ended = createEndedRollouts(bucket)
  const damaged = new LRUCache<string, { readonly tag: Tag; readonly damage: DamagedRollout }>({ max: 100 })
  /** Changes of one rollout from this process go one after another: they would only undo each other's work. */
  const lanes = new Map<string, Promise<unknown>>()

  async function load({ org, id }: RolloutRef): Promise<Loaded<Rollout>> {
    if (!isRolloutId(id))
      throw badRequest('id', `${JSON.stringify(id)} is not the id of a rollout`, 'see `taco rollout ls`')
    const key = rolloutKey(parseOrgName(org), id)
    const loaded = await read(key)
    if (loaded !== undefined) return loaded
    throw new TacoError('NOT_FOUND', `there is no rollout ${id}`, {
      facts: { field: 'id', id },
      hint: 'see `taco rollout ls`',
    })
  }

  /** `tag`: of a listing just made. */
  async function read(key: string, tag?: Tag): Promise<Loaded<Rollout> | undefined> {
    const copy = known.get(key)
    const isSame = copy !== undefined && copy.tag === tag
    const loaded = isSame ? copy : await readDocument(bucket, key, Rollout, { known: copy })
    if (loaded === undefined) return undefined
    outbox.sendLeft(loaded.value.outbox, documentOf(loaded))
    return isOver(loaded.value) && copy === undefined ? loaded : keep(loaded)
  }

  async function readAll(entries: readonly Entry[]) {
    const found: (Loaded<Rollout> | DamagedRollout | undefined)[] = []
    for (let at = 0; at < entries.length; at += READ_AT_ONCE)
      found.push(...(await Promise.all(entries.slice(at, at + READ_AT_ONCE).map(readOrDamage))))
    return {
      loaded: found.flatMap((one) => (one !== undefined && 'value' in one ? [one] : [])),
      damaged: found.flatMap((one) => (one === undefined || 'value' in one ? [] : [one])),
    }
  }

  async function readOrDamage(entry: Entry): Promise<Loaded<Rollout> | DamagedRollout | undefined> {
    const { key, tag } = entry
    const seen = damaged.get(key)
    if (seen?.tag === tag) return seen.damage
    try {
      return await read(key, tag)
    } catch (error) {
      const damage = await damageOf(bucket, entry, error)
      if (damage === undefined) throw error
      damaged.set(key, { tag, damage })
      return damage
    }
  }

  function documentOf(loaded: Loaded<Rollout>): OutboxDocument {
    const { key, value } = loaded
    return { key, empty: () => inTurn(`${value.org}/${value.id}`, () => empty(loaded)) }
  }

  function written(loaded: Loaded<Rollout>, made: readonly Event[]): void {
    outbox.send(loaded.value.outbox, made, documentOf(keep(loaded)))
  }

  /** If somebody changed it meanwhile, they took care of it. */
  async function empty({ key, value, tag }: Loaded<Rollout>): Promise<void> {
    const next = { ...value, rev: value.rev + 1, nonce: ids.id('n'), outbox: [] }
    const written = await swapDocument(bucket, { key, value, tag }, next)
    if (written.kind === 'written' && known.get(key)?.tag === tag)
      keep({ key, value: next, tag: written.tag })
  }

  function told(before: Rollout | undefined, after: Rollout, caller: Caller): readonly Event[] {
    return newsOf(before, after).map(({ unit, type, data = {} }) =>
      outbox.make({ org: after.org, ...(unit === undefined ? {} : { unit }) }, { type, caller, data }),
    )
  }

  function keep(loaded: Loaded<Rollout>): Loaded<Rollout> {
    known.set(loaded.key, loaded)
    return loaded
  }

  async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = lanes.get(key)
    const turn = (async () => {
      await before?.catch(() => {})
      return work()
    })()
    lanes.set(key, turn)
    try {
      return await turn
    } finally {
      if (lanes.get(key) === turn) lanes.delete(key)
    }
  }

  /** Newest first. */
  async function listed(org: string): Promise<readonly Entry[]> {
    const entries: Entry[] = []
    for await (const page of bucket.list(rolloutsPrefix(parseOrgName(org)))) entries.push(...page)
    return entries.toSorted((a, b) => (a.key < b.key ? 1 : -1))
  }

  const get = async (ref: RolloutRef) => (await load(ref)).value

  return {
    get,
    has: async ({ org, id }) => (await read(rolloutKey(org, id))) !== undefined,
    async create(rollout, caller) {
      const key = rolloutKey(rollout.org, rollout.id)
      const made = told(undefined, rollout, caller)
      const value = { ...rollout, outbox: [...made] }
      const answer = await createDocument(bucket, key, value)
      if (answer.kind === 'conflict') return undefined
      written({ key, value, tag: answer.tag }, made)
      return value
    },
    change: (ref, caller, change) =>
      inTurn(`${ref.org}/${ref.id}`, async () => {
        for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
          if (attempt > 1) await clock.sleep(Math.random() * Math.min(250, 4 * 2 ** attempt))
          const loaded = await load(ref)
          const { rollout, answer } = await change(loaded.value)
          if (rollout === loaded.value) return { rollout, answer }
          const made = told(loaded.value, rollout, caller)
          const left = outbox.unsent(loaded.value.outbox)
          const rev = loaded.value.rev + 1
          const noted = noteRequest(loaded.value.answered, caller, clock.now())
          const value = { ...rollout, ...noted, rev, nonce: ids.id('n'), outbox: [...left, ...made] }
          const answered = await swapDocument(bucket, loaded, value)
          if (answered.kind !== 'written') continue
          written({ key: loaded.key, value, tag: answered.tag }, made)
          return { rollout: value, answer }
        }
        throw new TacoError('BUCKET_UNAVAILABLE', 'too many workers changed the rollout at the same time', {
          hint: 'try again in a moment, or with fewer workers',
        })
      }),
    async unfinished(org) {
      const all = await listed(org)
      const found = await readAll(await ended.openOnes(org, all))
      const rollouts = found.loaded.flatMap(({ key, value, tag }) => {
        if (!isOver(value)) return [value]
        if (outbox.unsent(value.outbox).length === 0) ended.add(org, { key, tag })
        return []
      })
      await ended.save(org, all)
      return { rollouts, damaged: found.damaged }
    },
    async page(org, { limit, below }) {
      const end = below === undefined ? undefined : rolloutKey(parseOrgName(org), below)
      const all = (await listed(org)).filter(({ key }) => end === undefined || key < end)
      const own = all.slice(0, limit)
      const { loaded, damaged: unreadable } = await readAll(own)
      const last = own.at(-1)
      return {
        rollouts: loaded.map(({ value }) => value),
        damaged: unreadable,
        ...(all.length > limit && last !== undefined ? { next: idOf(last.key) } : {}),
      }
    },
    async damaged(org) {
      return (await readAll(await listed(org))).damaged
    },
  }
}

function isOver({ status, steps }: Rollout): boolean {
  const isGone = (step: Step) => step.status !== 'running' || step.abandoned === true
  return (status === 'done' || status === 'cancelled') && steps.every(isGone)
}
