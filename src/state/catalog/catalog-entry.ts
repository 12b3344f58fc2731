import { LRUCache } from 'lru-cache'
import type { UnitFacts } from '../../access/index.ts'
import type { Tag } from '../../bucket/index.ts'
import { type PackedText, unpackText } from './packed-texts.ts'
import { type PastFacts, pastOf } from '../history/past.ts'
import type { Unit } from '../documents/unit-store.ts'
import { graphFacts, viewUnit } from '../views/to-views.ts'
import type { GraphFacts, UnitView } from '../views/views.ts'

/** One unit as listings need it. Ten thousand of them lie in memory, so most of it is one flat text. */
export interface CatalogEntry {
  readonly id: string
  readonly name: string
  readonly rev: number
  readonly tag: Tag
  /** 0: not deleted. */
  readonly deletedAt: number
  /** When this process last saw it; not saved. */
  readonly seenAt: number
  readonly text: string | PackedText
  /** What a newer server added, in the saved catalog. */
  readonly more?: readonly unknown[]
}

export interface EntryText {
  readonly view: UnitView
  readonly look: LookFacts
  readonly graph: GraphFacts
  readonly past: PastFacts
}

/** What a sweep compares with the bucket, so that only units that need it are looked at. */
export interface LookFacts {
  readonly stateTag: string | null
  readonly locked: boolean
  /** An intent, a release or events that wait to be finished. */
  readonly unfinished: boolean
  readonly leaseUntil: number | null
}

export function entryOf(unit: Unit, tag: Tag, seenAt: number): CatalogEntry {
  const doc = unit.value
  const look: LookFacts = {
    stateTag: doc.head?.tag ?? null,
    locked: doc.lock !== null,
    unfinished:
      doc.write !== null ||
      doc.outbox.length > 0 ||
      doc.lock?.releasing !== undefined ||
      doc.claiming !== undefined,
    leaseUntil: doc.lock?.leaseUntil ?? null,
  }
  const text: EntryText = { view: viewUnit(doc), look, graph: graphFacts(doc), past: pastOf(doc) }
  return {
    id: doc.id,
    name: doc.name,
    rev: doc.rev,
    tag,
    deletedAt: doc.deleted?.at ?? 0,
    seenAt,
    text: JSON.stringify(text),
  }
}

/** The text was made by `entryOf` in this process, or came from a catalog object that was checked. */
export function readEntryText(entry: CatalogEntry): EntryText {
  return JSON.parse(textOf(entry)) as EntryText
}

export function textOf({ text }: CatalogEntry): string {
  return typeof text === 'string' ? text : unpackText(text)
}

/** One by one: each may have to be unpacked. */
export function* textsOf(entries: readonly CatalogEntry[]): Generator<string> {
  for (const entry of entries) yield textOf(entry)
}

/** So many are some 25 MB. */
const views = new LRUCache<CatalogEntry, UnitView>({ max: 12_000 })

/** Kept for a while: pages, searches and checks of rights ask for all units again and again. */
export function viewIn(entry: CatalogEntry): UnitView {
  const known = views.get(entry)
  if (known !== undefined) return known
  const { view } = readEntryText(entry)
  views.set(entry, view)
  return view
}

/** What rules go by. */
export function factsOf(entry: CatalogEntry): UnitFacts & { readonly id: string } {
  const { id, org, name, labels, sections } = viewIn(entry)
  return { id, org, name, labels, sections }
}
