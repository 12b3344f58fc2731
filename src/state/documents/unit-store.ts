import { LRUCache } from 'lru-cache'
import { TacoError } from '../../base/errors.ts'
import { createDocument, readDocument, swapDocument } from '../../bucket/index.ts'
import type { Loaded, Tag } from '../../bucket/index.ts'
import type { Background } from '../journal/background.ts'
import type { StateDeps } from '../settings.ts'
import type { EventDraft } from '../journal/events.ts'
import type { JournalWriter } from '../journal/journal-writer.ts'
import { unitKey } from './layout.ts'
import type { Event } from './model.ts'
import { UnitDocument } from './model.ts'
import type { Outbox } from '../state-control.ts'
import type { UnitChanges } from './transitions.ts'
import { applied, completeWrite } from './transitions.ts'

export type Unit = Loaded<UnitDocument>

/**
 * Units' documents: read, cached, and changed by compare-and-swap. The cache may be behind; whatever is decided on a
 * cached document takes effect only through `swap`, which fails if it was.
 */
export interface UnitStore {
  /** From memory if possible: only for decisions that a `swap` confirms, and never for a refusal. */
  cached(org: string, id: string): Unit | undefined
  /** As it is in the bucket now. */
  load(org: string, id: string): Promise<Unit | undefined>
  /** Like load, without remembering: for passing over many units. */
  read(org: string, id: string): Promise<Unit | undefined>
  /** Asks only whether it changed: the same object if not. */
  revalidate(unit: Unit): Promise<Unit | undefined>
  /** Undefined: it is there already. */
  create(doc: UnitDocument, events: readonly EventDraft[]): Promise<Unit | undefined>
  /** Undefined: somebody else changed it. Read again and decide again. */
  swap(unit: Unit, changes: UnitChanges, events?: readonly EventDraft[]): Promise<Unit | undefined>
  /** This process saw the state object being written under this tag, so nobody needs to read it back. */
  noteLanded(versionId: string, tag: Tag): void
  /** The document as it will be once a write that is known to have landed is completed. */
  folded(unit: Unit): Unit
  /** Called after every change made or seen here. */
  onSeen(listener: (unit: Unit) => void): void
  /** Completes what is known to have landed and drops events that are in the journal. */
  tidy(org: string, id: string): Promise<void>
}

export function createUnitStore(
  { bucket, clock, ids, settings }: StateDeps,
  background: Background,
  journal: JournalWriter,
  outbox: Outbox,
): UnitStore {
  const cache = new LRUCache<string, Unit>({ max: 1_000 })
  const landed = new LRUCache<string, Tag>({ max: 10_000 })
  const listeners: ((unit: Unit) => void)[] = []

  function seen(unit: Unit): Unit {
    cache.set(unit.value.id, unit)
    for (const listener of listeners) listener(unit)
    return unit
  }

  async function load(org: string, id: string): Promise<Unit | undefined> {
    const known = cache.get(id)
    const unit = await read(org, id, known)
    if (unit !== undefined) return unit === known ? unit : seen(unit)
    cache.delete(id)
    return undefined
  }

  async function read(org: string, id: string, known?: Unit): Promise<Unit | undefined> {
    const key = unitKey(org, id)
    const unit = await readDocument(bucket, key, UnitDocument, known?.key === key ? { known } : {})
    if (unit === undefined) return undefined
    if (unit.value.id !== id || unit.value.org !== org) {
      throw new TacoError(
        'BUCKET_CORRUPT',
        `the document ${unit.key} is about another unit (${unit.value.id})`,
        {
          facts: { key: unit.key },
          hint: 'restore this object from a backup of the bucket',
        },
      )
    }
    return unit
  }

  async function revalidate(unit: Unit): Promise<Unit | undefined> {
    const found = await bucket.get(unit.key, { ifNoneMatch: unit.tag })
    if (found === 'unchanged') return unit
    found?.discard()
    return load(unit.value.org, unit.value.id)
  }

  async function create(doc: UnitDocument, drafts: readonly EventDraft[]): Promise<Unit | undefined> {
    const events = eventsOf(doc, drafts)
    const value: UnitDocument = { ...doc, outbox: events }
    const key = unitKey(doc.org, doc.id)
    const answer = await createDocument(bucket, key, value)
    if (answer.kind === 'conflict') return undefined
    return changed({ key, value, tag: answer.tag }, events)
  }

  async function swap(
    unit: Unit,
    changes: UnitChanges,
    drafts: readonly EventDraft[] = [],
  ): Promise<Unit | undefined> {
    const before = folded(unit)
    const merged = applied(before.value, changes)
    const events = eventsOf(merged, drafts)
    const value: UnitDocument = {
      ...merged,
      rev: before.value.rev + 1,
      nonce: ids.id('n'),
      changedAt: clock.now(),
      outbox: [...outbox.unsent(before.value.outbox), ...events],
    }
    const answer = await swapDocument(bucket, unit, value)
    if (answer.kind === 'conflict') {
      cache.delete(value.id)
      return undefined
    }
    return changed({ key: unit.key, value, tag: answer.tag }, events)
  }

  function changed(unit: Unit, events: readonly Event[]): Unit {
    seen(unit)
    // With what others left: a unit that they also change all the time is never tidied, and its outbox must not grow.
    outbox.send(unit.value.outbox, events)
    scheduleTidy(unit)
    return unit
  }

  function eventsOf({ org, id, name }: UnitDocument, drafts: readonly EventDraft[]): Event[] {
    return drafts.map((draft) => outbox.make({ org, unit: { id, name } }, draft))
  }

  function scheduleTidy(unit: Unit): void {
    const { org, id, write, outbox: waiting } = unit.value
    if (settings.tidyAfterMs === null || (write === null && waiting.length === 0)) return
    background.later(`tidying ${id}`, settings.tidyAfterMs, () => tidy(org, id))
  }

  function folded(unit: Unit): Unit {
    const { write } = unit.value
    if (write === null || write.kind !== 'write') return unit
    const tag = landed.get(write.head.version.id)
    if (tag === undefined) return unit
    return { ...unit, value: applied(unit.value, completeWrite(unit.value, tag)) }
  }

  async function tidy(org: string, id: string): Promise<void> {
    const unit = cache.get(id) ?? (await load(org, id))
    if (unit === undefined) return
    await journal.flush(unit.value.outbox)
    if (folded(unit) !== unit || unit.value.outbox.some(({ id }) => journal.isWritten(id)))
      await swap(unit, {})
  }

  return {
    cached: (_org, id) => cache.get(id),
    load,
    read,
    revalidate,
    create,
    swap,
    noteLanded: (versionId, tag) => void landed.set(versionId, tag),
    folded,
    onSeen: (listener) => void listeners.push(listener),
    tidy,
  }
}
