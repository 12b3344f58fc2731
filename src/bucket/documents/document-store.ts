import { LRUCache } from 'lru-cache'
import { again, untilDone } from '../../base/attempts.ts'
import type { Clock } from '../../base/clock.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import type { Ids } from '../../base/ids.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import type { Bucket, Entry, Tag } from '../bucket.ts'
import { type Answered, type Asking, answeredBefore, noteRequest } from './answered.ts'
import { type DocumentFormat, formatOf } from './format.ts'
import { type Loaded, createDocument, readDocument, swapDocument } from './read-write.ts'

/**
 * What every document may carry in addition to its own fields. The store writes these; transitions leave them alone.
 */
export interface Stored<E = unknown> {
  readonly v: number
  readonly minor?: number | undefined
  /** Only grows, so that no two writes of one document are byte-equal. */
  readonly rev?: number | undefined
  /** Random per write, to distinguish a lost answer from a lost race. */
  readonly nonce?: string | undefined
  /** Requests whose change this document has. */
  readonly answered?: readonly Answered[] | undefined
  /** Events of its changes that may not be in the journal yet. */
  readonly outbox?: readonly E[] | undefined
}

/** The fields of a document that are the layer's own: the store adds the rest. */
export type Fields<T> = Omit<T, 'v' | 'minor' | 'rev' | 'nonce' | 'outbox'>

/** A kind of document. With pure transitions, this is all that a layer has to say about one. */
export interface DocumentKind<T, Ref, Salvaged = never> {
  /** What people call it, in messages: `unit`, `rollout`. */
  readonly name: string
  readonly format: DocumentFormat<T>
  readonly keyOf: (ref: Ref) => string
  /** What the document says it is about. If its key says otherwise, the object was put in the wrong place. */
  readonly refOf?: (value: T) => Ref
  /** Why it is missing. Without: a plain NOT_FOUND. */
  readonly missing?: (ref: Ref) => TacoError | Promise<TacoError>
  /** Without: nothing is kept in memory. `sizeOf` counts towards `most`; without it each is 1. */
  readonly cache?: {
    readonly most: number
    readonly sizeOf?: (value: T) => number
    /** False: not kept when it is read for the first time. */
    readonly isWorthKeeping?: (value: T) => boolean
  }
  /** What can still be learnt from one that cannot be read. */
  readonly salvage?: (bytes: Buffer) => Salvaged | undefined
}

/** A document whose events are in the journal, and may leave its outbox. */
export interface OutboxDocument {
  readonly key: string
  empty(): Promise<void>
}

/** Brings the events of a change to the journal (`journal/events.ts` of the state layer). */
export interface OutboxPort<E> {
  /** What must stay in the outbox of the next version of the document. */
  unsent(outbox: readonly E[]): readonly E[]
  send(outbox: readonly E[], made: readonly E[], document: OutboxDocument): void
  sendLeft(outbox: readonly E[], document: OutboxDocument): void
}

/** What a transition decides. The same `value` as given: there is nothing to write. */
export interface Step<T, Answer, E> {
  readonly value: T
  readonly events?: readonly E[]
  readonly answer: Answer
}

export type Transition<T, Answer, E> = (
  value: T,
  /** Set if this very request made its change before: the transition should make none. */
  before: Answered | undefined,
) => Step<T, Answer, E> | Promise<Step<T, Answer, E>>

/** A document that cannot be read. */
export interface Unreadable<Salvaged> {
  readonly key: string
  /** When it was last written. */
  readonly at: number
  /** Nothing is wrong with it: a newer OpenTaco wrote it, and can read it. */
  readonly isNewer: boolean
  /** Undefined: nothing could be learnt from it. */
  readonly salvaged: Salvaged | undefined
}

/**
 * Documents of one kind: read, created, and changed by compare-and-swap. What is kept in memory may be behind; what is
 * decided on it takes effect only through a swap, which fails if it was.
 */
export interface DocumentStore<T extends Stored<E>, Ref, E = never, Salvaged = never> {
  /** From memory: only for decisions that a swap confirms, and never for a refusal. */
  cached(ref: Ref): Loaded<T> | undefined
  /** As it is in the bucket now. */
  find(ref: Ref): Promise<Loaded<T> | undefined>
  /** Like `find`; without a document, throws what `missing` says. */
  get(ref: Ref): Promise<Loaded<T>>
  /** Like `find`, without keeping it in memory: for passing over many. */
  peek(ref: Ref): Promise<Loaded<T> | undefined>
  /** Undefined: it exists already. Its first revision is 1 unless said otherwise. */
  create(
    ref: Ref,
    fields: Fields<T>,
    options?: { readonly events?: readonly E[]; readonly rev?: number },
  ): Promise<Loaded<T> | undefined>
  /**
   * One attempt. Undefined: another process changed it; read again and decide again. `quiet` keeps the nonce: to
   * clients that compare it, nothing changed.
   */
  swap(
    loaded: Loaded<T>,
    next: Fields<T>,
    options?: { readonly events?: readonly E[]; readonly quiet?: boolean },
  ): Promise<Loaded<T> | undefined>
  /**
   * Reads, decides and swaps until it holds: bounded, one after another within this process. The answer is that of the
   * attempt that held. A change made for `asking.request` is recorded with it.
   */
  change<Answer>(
    ref: Ref,
    transition: Transition<T, Answer, E>,
    asking?: Asking,
  ): Promise<{ readonly value: T; readonly answer: Answer }>
  /** Also succeeds if the document does not exist. */
  remove(ref: Ref): Promise<void>
  /** All objects below a prefix, oldest key first. */
  entries(prefix: string): Promise<Entry[]>
  /** Those of a listing just made. What cannot be read is reported and takes nothing else with it. */
  readAll(entries: readonly Entry[]): Promise<{
    readonly loaded: readonly Loaded<T>[]
    readonly unreadable: readonly Unreadable<Salvaged>[]
  }>
  /** Called with every version that was read for the first time, or written, here. */
  onSeen(listener: (loaded: Loaded<T>) => void): void
}

const READ_AT_ONCE = 100

export function createDocumentStore<T extends Stored<E>, Ref, E = never, Salvaged = never>(
  deps: {
    readonly bucket: Bucket
    readonly clock: Clock
    readonly ids: Ids
    /** Without: documents of this kind have no events. */
    readonly outbox?: OutboxPort<E>
  },
  kind: DocumentKind<T, Ref, Salvaged>,
): DocumentStore<T, Ref, E, Salvaged> {
  const { bucket, clock, ids, outbox } = deps
  const cache = kind.cache && createCache(kind.cache)
  const unreadable = new LRUCache<string, { readonly tag: Tag; readonly found: Unreadable<Salvaged> }>({
    max: 100,
  })
  const listeners: ((loaded: Loaded<T>) => void)[] = []
  const inTurn = createLanes()

  async function read(key: string, known?: Loaded<T>): Promise<Loaded<T> | undefined> {
    const loaded = await readDocument(bucket, key, kind.format, { known })
    if (loaded === undefined || loaded === known || kind.refOf === undefined) return loaded
    const about = kind.keyOf(kind.refOf(loaded.value))
    if (about === key) return loaded
    throw new TacoError('BUCKET_CORRUPT', `The document ${key} belongs to another ${kind.name} (${about}).`, {
      facts: { key },
      hint: 'Restore this object from a backup of the bucket.',
    })
  }

  /** `tag`: of a listing just made. */
  async function load(key: string, tag?: Tag): Promise<Loaded<T> | undefined> {
    const known = cache?.get(key)
    const loaded = known !== undefined && known.tag === tag ? known : await read(key, known)
    if (loaded === undefined) {
      cache?.delete(key)
      return undefined
    }
    outbox?.sendLeft(loaded.value.outbox ?? [], documentOf(loaded))
    if (loaded === known) return loaded
    const isKept = known !== undefined || kind.cache?.isWorthKeeping?.(loaded.value) !== false
    return seen(loaded, isKept)
  }

  function seen(loaded: Loaded<T>, isKept = true): Loaded<T> {
    if (isKept) cache?.set(loaded.key, loaded)
    for (const listener of listeners) listener(loaded)
    return loaded
  }

  async function get(ref: Ref): Promise<Loaded<T>> {
    const loaded = await load(kind.keyOf(ref))
    if (loaded !== undefined) return loaded
    throw (
      (await kind.missing?.(ref)) ??
      new TacoError('NOT_FOUND', `The ${kind.name} does not exist.`, { facts: { key: kind.keyOf(ref) } })
    )
  }

  async function create(
    ref: Ref,
    fields: Fields<T>,
    { events = [], rev = 1 }: { readonly events?: readonly E[]; readonly rev?: number } = {},
  ): Promise<Loaded<T> | undefined> {
    const key = kind.keyOf(ref)
    const own = { ...formatOf(kind.format), rev, nonce: ids.id('n') }
    const value = { ...own, ...fields, ...own, ...(outbox && { outbox: events }) } as unknown as T
    const answer = await createDocument(bucket, key, value)
    return answer.kind === 'conflict' ? undefined : written({ key, value, tag: answer.tag }, events)
  }

  async function swap(
    loaded: Loaded<T>,
    next: Fields<T>,
    { events = [], quiet = false }: { readonly events?: readonly E[]; readonly quiet?: boolean } = {},
  ): Promise<Loaded<T> | undefined> {
    const { key, value: before } = loaded
    const value = {
      ...next,
      ...formatOf(kind.format, before),
      rev: (before.rev ?? 0) + 1,
      nonce: quiet ? before.nonce : ids.id('n'),
      ...(outbox && { outbox: [...outbox.unsent(before.outbox ?? []), ...events] }),
    } as unknown as T
    const answer = await swapDocument(bucket, loaded, value)
    if (answer.kind === 'written') return written({ key, value, tag: answer.tag }, events)
    cache?.delete(key)
    return undefined
  }

  function written(loaded: Loaded<T>, events: readonly E[]): Loaded<T> {
    seen(loaded)
    // With what others left: a document that they also change all the time is never emptied, and must not grow.
    outbox?.send(loaded.value.outbox ?? [], events, documentOf(loaded))
    return loaded
  }

  function documentOf(loaded: Loaded<T>) {
    return { key: loaded.key, empty: () => inTurn(loaded.key, () => empty(loaded)) }
  }

  /** If another process changed it meanwhile, that change took care of it. */
  async function empty(loaded: Loaded<T>): Promise<void> {
    const value = { ...loaded.value, rev: (loaded.value.rev ?? 0) + 1, outbox: [] } as T
    const answer = await swapDocument(bucket, loaded, value)
    if (answer.kind === 'written' && cache?.get(loaded.key)?.tag === loaded.tag)
      seen({ key: loaded.key, value, tag: answer.tag })
  }

  function change<Answer>(ref: Ref, transition: Transition<T, Answer, E>, asking: Asking = {}) {
    return inTurn(kind.keyOf(ref), () =>
      untilDone(clock, `changing the ${kind.name}`, async () => {
        const loaded = await get(ref)
        const { answered } = loaded.value
        const step = await transition(loaded.value, answeredBefore(answered, asking))
        if (step.value === loaded.value) return { value: loaded.value, answer: step.answer }
        const next = { ...step.value, ...noteRequest(answered, asking, clock.now()) }
        const swapped = await swap(loaded, next, step.events && { events: step.events })
        return swapped === undefined ? again : { value: swapped.value, answer: step.answer }
      }),
    )
  }

  function remove(ref: Ref): Promise<void> {
    const key = kind.keyOf(ref)
    return untilDone(clock, `removing the ${kind.name}`, async () => {
      const entry = await bucket.head(key)
      if (entry === undefined) return undefined
      cache?.delete(key)
      const answer = await bucket.delete(key, entry.tag)
      return answer === 'deleted' || answer === 'absent' ? undefined : again
    })
  }

  async function readOrReport(entry: Entry): Promise<Loaded<T> | Unreadable<Salvaged> | undefined> {
    const { key, tag } = entry
    const before = unreadable.get(key)
    if (before?.tag === tag) return before.found
    try {
      return await load(key, tag)
    } catch (error) {
      if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) throw error
      const isNewer = error.code === 'BUCKET_NEWER'
      const found = { key, at: entry.modifiedAt, isNewer, salvaged: await salvaged(key) }
      unreadable.set(key, { tag, found })
      return found
    }
  }

  async function salvaged(key: string): Promise<Salvaged | undefined> {
    if (kind.salvage === undefined) return undefined
    const bytes = await (await bucket.get(key))?.bytes()
    return bytes && kind.salvage(bytes)
  }

  return {
    cached: (ref) => cache?.get(kind.keyOf(ref)),
    find: (ref) => load(kind.keyOf(ref)),
    get,
    peek: (ref) => read(kind.keyOf(ref)),
    create,
    swap,
    change,
    remove,
    async entries(prefix) {
      const all: Entry[] = []
      for await (const page of bucket.list(prefix)) all.push(...page)
      return all
    },
    async readAll(entries) {
      const found = new Map<string, Loaded<T> | Unreadable<Salvaged>>()
      await forEachLimit(entries, READ_AT_ONCE, async (entry) => {
        const one = await readOrReport(entry)
        if (one !== undefined) found.set(entry.key, one)
      })
      const all = entries.flatMap(({ key }) => found.get(key) ?? [])
      return {
        loaded: all.flatMap((one) => ('value' in one ? [one] : [])),
        unreadable: all.flatMap((one) => ('value' in one ? [] : [one])),
      }
    },
    onSeen: (listener) => void listeners.push(listener),
  }
}

function createCache<T>({ most, sizeOf }: { most: number; sizeOf?: (value: T) => number }) {
  return new LRUCache<string, Loaded<T>>(
    sizeOf === undefined ? { max: most } : { maxSize: most, sizeCalculation: ({ value }) => sizeOf(value) },
  )
}

/** Changes of one document from this process go one after another: they would only undo each other's work. */
function createLanes() {
  const lanes = new Map<string, Promise<unknown>>()
  return async <R>(key: string, work: () => Promise<R>): Promise<R> => {
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
}
