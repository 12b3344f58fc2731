import { LRUCache } from 'lru-cache'
import {
  type DocumentKind,
  type Fields,
  type Loaded,
  type Tag,
  createDocumentStore,
} from '../../bucket/index.ts'
import type { Background } from '../journal/background.ts'
import type { StateDeps } from '../settings.ts'
import type { EventDraft } from '../journal/events.ts'
import type { JournalWriter } from '../journal/journal-writer.ts'
import { unitKey } from './layout.ts'
import { type Event, type UnitDocument, unitFormat } from './model.ts'
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
  create(
    doc: Fields<UnitDocument>,
    events: readonly EventDraft[],
    first?: { readonly rev: number },
  ): Promise<Unit | undefined>
  /** Undefined: another process changed it. Read again and decide again. */
  swap(unit: Unit, changes: UnitChanges, events?: readonly EventDraft[]): Promise<Unit | undefined>
  /** This process saw the state object being written under this tag, so it need not be read back. */
  noteLanded(versionId: string, tag: Tag): void
  /** The document as it will be once a write that is known to have landed is completed. */
  folded(unit: Unit): Unit
  /** Called after every change made or seen here. */
  onSeen(listener: (unit: Unit) => void): void
  /** Completes what is known to have landed and drops events that are in the journal. */
  tidy(org: string, id: string): Promise<void>
}

interface UnitAt {
  readonly org: string
  readonly id: string
}

const unitKind: DocumentKind<UnitDocument, UnitAt> = {
  name: 'unit',
  format: unitFormat,
  keyOf: ({ org, id }) => unitKey(org, id),
  refOf: ({ org, id }) => ({ org, id }),
  cache: { most: 1_000 },
}

export function createUnitStore(
  deps: StateDeps,
  background: Background,
  journal: JournalWriter,
  outbox: Outbox,
): UnitStore {
  const { bucket, clock, settings } = deps
  const documents = createDocumentStore<UnitDocument, UnitAt, Event>(
    {
      ...deps,
      // Tidying also empties outboxes, and units are looked at one by one elsewhere.
      outbox: {
        unsent: (events) => outbox.unsent(events),
        send: (events, made) => outbox.send(events, made),
        sendLeft: () => {},
      },
    },
    unitKind,
  )
  const landed = new LRUCache<string, Tag>({ max: 10_000 })

  const load = (org: string, id: string) => documents.find({ org, id })

  async function revalidate(unit: Unit): Promise<Unit | undefined> {
    const found = await bucket.get(unit.key, { ifNoneMatch: unit.tag })
    if (found === 'unchanged') return unit
    found?.discard()
    return load(unit.value.org, unit.value.id)
  }

  async function create(
    doc: Fields<UnitDocument>,
    drafts: readonly EventDraft[],
    first?: { readonly rev: number },
  ): Promise<Unit | undefined> {
    const unit = await documents.create(doc, doc, { events: eventsOf(doc, drafts), ...first })
    if (unit !== undefined) scheduleTidy(unit)
    return unit
  }

  async function swap(
    unit: Unit,
    changes: UnitChanges,
    drafts: readonly EventDraft[] = [],
  ): Promise<Unit | undefined> {
    const next = { ...applied(folded(unit).value, changes), changedAt: clock.now() }
    const swapped = await documents.swap(unit, next, { events: eventsOf(next, drafts) })
    if (swapped !== undefined) scheduleTidy(swapped)
    return swapped
  }

  function eventsOf(
    { org, id, name }: Pick<UnitDocument, 'org' | 'id' | 'name'>,
    drafts: readonly EventDraft[],
  ): Event[] {
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
    const unit = documents.cached({ org, id }) ?? (await load(org, id))
    if (unit === undefined) return
    await journal.flush(unit.value.outbox)
    if (folded(unit) !== unit || unit.value.outbox.some(({ id }) => journal.isWritten(id)))
      await swap(unit, {})
  }

  return {
    cached: (org, id) => documents.cached({ org, id }),
    load,
    read: (org, id) => documents.peek({ org, id }),
    revalidate,
    create,
    swap,
    noteLanded: (versionId, tag) => void landed.set(versionId, tag),
    folded,
    onSeen: documents.onSeen,
    tidy,
  }
}
