import type { Sight } from '../../access/index.ts'
import { LRUCache } from 'lru-cache'
import { isRecent } from '../../base/clock.ts'
import type { TacoError } from '../../base/errors.ts'
import { isTacoError } from '../../base/errors.ts'
import { encodeTime } from '../../base/ids.ts'
import { Turns } from '../../base/turns.ts'
import type { Tag } from '../../bucket/index.ts'
import type { StateDeps } from '../settings.ts'
import type { CatalogEntry } from './catalog-entry.ts'
import { entryOf, viewIn } from './catalog-entry.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { createCatalogIndex } from './catalog-index.ts'
import { loadCatalogObject, saveCatalogObject } from './catalog-object.ts'
import { decodeCursor, encodeCursor, firstAfter } from './catalog-order.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import type { JournalWriter } from '../journal/journal-writer.ts'
import { SETTLE_MS } from '../journal/journal-writer.ts'
import { ascending } from '../journal/listing.ts'
import { RARELY_MS } from '../journal/roots.ts'
import type { Tails } from '../journal/tail.ts'
import { journalPrefix, parseJournalKey, placeAt, sharedJournalPrefix } from '../documents/journal-layout.ts'
import { unitIdOfKey, unitsPrefix } from '../documents/layout.ts'
import { parseOrgName } from '../documents/names.ts'
import type { UnitPage, UnitQuery } from '../state-control.ts'
import type { Unit, UnitStore } from '../documents/unit-store.ts'
import type { UnitView } from '../views/views.ts'

/**
 * All units of an organization in memory, for listings. A cache: checked against the bucket's tags, behind other
 * servers by a second at most while they live, never behind this one.
 */
export interface Catalog {
  /** Only what the caller may see. */
  list(query: UnitQuery, sight?: Sight): Promise<UnitPage>
  /** The deleted units of this name, the one deleted last first. */
  deletedByName(org: string, name: string): Promise<readonly string[]>
  /** The units that have this name, or had it when they were deleted, as listings see them. */
  idsNamed(org: string, name: string): Promise<readonly string[]>
  /** Every unit, deleted ones too, as listings see them. */
  current(org: string): Promise<{ readonly entries: readonly CatalogEntry[]; readonly asOf: number }>
  /** Every unit, deleted ones too, as of now: a full listing. */
  all(org: string): Promise<readonly CatalogEntry[]>
  /** The unit that has this name or key by its document, claimed or not: as good as a listing knows. */
  liveUnit(what: 'name' | 'key', place: { org: string; name: string; key: string }): Promise<Unit | undefined>
  /** The units whose state has a key that starts with this, as listings see them. In no order. */
  underKey(org: string, prefix: string): Promise<readonly CatalogEntry[]>
  /** Units whose document cannot be read: in no listing. As of the last one. */
  damaged(org: string): readonly DamagedUnit[]
  note(unit: Unit): void
}

export interface DamagedUnit {
  readonly id: string
  /** As it was listed before it was read. Undefined: not listed yet. */
  readonly tag: Tag | undefined
  readonly error: TacoError
}

/**
 * Saving costs about as much as reading this many documents, or this share of all; the next server to start saves that.
 */
const SAVE_FROM = 32
const SAVE_SHARE = 1 / 100
const SAVE_EVERY_MS = 60_000
/** So many units are looked at before anybody asks whether others want their turn. */
const SLICE_UNITS = 64
/** Both take longer the more units there are. Where they take longer than this, they are done that much more rarely. */
const MOST_VERIFY_MS = 600
const MOST_SAVE_MS = 1_200

interface OrgCatalog {
  readonly index: CatalogIndex
  readonly damaged: Map<string, DamagedUnit>
  /** Everything that others did up to then is in it. */
  asOf: number
  /** The latest change that is in it: what this server does is there at once. */
  changedAt: number
  verifiedAt: number
  /** How long the last full listing took, without reading what had changed. */
  verifyMs: number
  /** What the bucket said before the last full listing; undefined where it says nothing. */
  mark: string | undefined
  /** Journal objects whose units were read since they were listed. Younger ones may still come before them. */
  readonly followed: Set<string>
  /** Units that changed since the catalog object was loaded or saved. */
  readonly unsaved: Set<string>
  savedAt: number
  saveMs: number
  refreshing: Promise<void> | undefined
}

/** Organizations whose units are in memory. Others are loaded on request. */
const MOST_CATALOGS = 64

export function createCatalog(
  deps: StateDeps,
  store: UnitStore,
  journal: Pick<JournalWriter, 'isWritten'>,
  tails: Tails,
): Catalog {
  const { bucket, clock, log, settings } = deps
  const catalogs = new LRUCache<string, OrgCatalog>({ max: MOST_CATALOGS })

  function note(unit: Unit): void {
    const catalog = catalogs.get(unit.value.org)
    if (catalog !== undefined) keepChanged(catalog, unit)
  }

  function keepChanged(catalog: OrgCatalog, unit: Unit, listedAt?: number): void {
    const { id, changedAt } = unit.value
    if (catalog.index.get(id)?.tag !== unit.tag) catalog.unsaved.add(id)
    catalog.changedAt = Math.max(catalog.changedAt, changedAt)
    keep(catalog, entryOf(store.folded(unit), unit.tag, clock.now()), listedAt)
  }

  /** An older revision was read slowly, unless a later list shows it: then it was put back by hand. */
  function keep(catalog: OrgCatalog, entry: CatalogEntry, listedAt?: number): void {
    const known = catalog.index.get(entry.id)
    const isOlder = known !== undefined && known.rev > entry.rev
    if (isOlder && (listedAt === undefined || isSeenSince(known, listedAt))) return
    catalog.index.set(entry)
    catalog.damaged.delete(entry.id)
  }

  /** Never earlier than what is in it. */
  function asOf(catalog: OrgCatalog): number {
    return Math.max(catalog.asOf, catalog.changedAt)
  }

  /** Never at a time to come: that is another server's, or one from before the clock was set back. */
  function isSeenSince({ seenAt }: CatalogEntry, at: number): boolean {
    return seenAt >= at && seenAt <= clock.now()
  }

  async function current(org: string, full = false): Promise<OrgCatalog> {
    let catalog = catalogs.get(org)
    if (catalog === undefined) {
      catalog = {
        index: createCatalogIndex(),
        damaged: new Map(),
        asOf: 0,
        changedAt: 0,
        verifiedAt: 0,
        verifyMs: 0,
        mark: undefined,
        followed: new Set(),
        unsaved: new Set(),
        savedAt: 0,
        saveMs: 0,
        refreshing: undefined,
      }
      catalogs.set(org, catalog)
    }
    // Another caller's refresh may have begun before a change that this caller knows of: only one begun now will do.
    if (full) await catalog.refreshing
    if (full || !isRecent(clock, catalog.asOf, settings.catalogLagMs)) {
      catalog.refreshing ??= refresh(org, catalog, full).finally(() => (catalog.refreshing = undefined))
      await catalog.refreshing
    }
    return catalog
  }

  async function refresh(org: string, catalog: OrgCatalog, full: boolean): Promise<void> {
    const startedAt = clock.now()
    if (catalog.verifiedAt === 0)
      for (const entry of await loadCatalogObject(bucket, org)) keep(catalog, entry)
    const verifyEveryMs = settings.catalogVerifyMs * Math.max(1, catalog.verifyMs / MOST_VERIFY_MS)
    const isDue = full || !isRecent(clock, catalog.verifiedAt, verifyEveryMs)
    const mark = await bucket.mark?.(unitsPrefix(org))
    if (isDue) {
      await refreshByList(org, catalog, startedAt)
      catalog.mark = mark
    } else if (mark === undefined || mark !== catalog.mark) await refreshByJournal(org, catalog)
    await catalog.index.packLoose()
    catalog.asOf = startedAt
  }

  async function refreshByList(org: string, catalog: OrgCatalog, startedAt: number): Promise<void> {
    const { index, damaged } = catalog
    const present = new Set<string>()
    const changed: { readonly id: string; readonly tag: Tag }[] = []
    for await (const page of bucket.list(unitsPrefix(org))) {
      for (const { key, tag } of page) {
        const id = unitIdOfKey(key)
        present.add(id)
        const known = index.get(id) ?? damaged.get(id)
        if (known?.tag !== tag) changed.push({ id, tag })
      }
    }
    catalog.verifyMs = clock.now() - startedAt
    for (const entry of index.values())
      if (!present.has(entry.id) && !isSeenSince(entry, startedAt)) index.delete(entry.id)
    for (const id of damaged.keys()) if (!present.has(id)) damaged.delete(id)
    await forEachLimit(changed, 32, ({ id, tag }) => reload(org, catalog, id, { tag, at: startedAt }))
    catalog.verifiedAt = startedAt
    const isWorthSaving = catalog.unsaved.size > Math.max(SAVE_FROM, present.size * SAVE_SHARE)
    const saveEveryMs = SAVE_EVERY_MS * Math.max(1, catalog.saveMs / MOST_SAVE_MS)
    if (isWorthSaving && startedAt - catalog.savedAt > saveEveryMs) await save(org, catalog)
  }

  async function save(org: string, catalog: OrgCatalog): Promise<void> {
    const startedAt = clock.now()
    catalog.savedAt = startedAt
    catalog.unsaved.clear()
    await saveCatalogObject(deps, org, catalog.index.inOrder())
    catalog.saveMs = clock.now() - startedAt
  }

  /** Which units changed lately is in the names of the journal's objects. */
  async function refreshByJournal(org: string, catalog: OrgCatalog): Promise<void> {
    const { followed } = catalog
    const changed = new Set<string>()
    const listed: string[] = []
    const from = catalog.asOf - SETTLE_MS - RARELY_MS
    for (const root of [journalPrefix(org), sharedJournalPrefix]) {
      for (const place of await placesSince(root, placeAt(from))) {
        const records = parseJournalKey(place)
        // A record is written after its change, so a reader that read the unit after listing the record has seen the
        // change.
        if (records === undefined || records.org !== org || followed.has(records.ulid)) continue
        listed.push(records.ulid)
        if (journal.isWritten(records.ulid)) continue
        for (const id of records.units) if (id !== '') changed.add(id)
      }
    }
    await forEachLimit([...changed], 32, (id) => reload(org, catalog, id))
    const oldest = encodeTime(from)
    for (const ulid of followed) if (ulid < oldest) followed.delete(ulid)
    for (const ulid of listed) followed.add(ulid)
  }

  /** By the listings of those who follow the journal; after a pause, by one of its own. */
  async function placesSince(root: string, from: string): Promise<readonly string[]> {
    const tail = tails(root)
    await tail.refresh(root === sharedJournalPrefix && tail.isQuiet() ? RARELY_MS : 0)
    const recent = tail.after(from)
    if (recent !== undefined) return recent.places
    const places: string[] = []
    for await (const stretch of ascending(bucket, root, from)) places.push(...stretch.places)
    return places
  }

  async function reload(
    org: string,
    catalog: OrgCatalog,
    id: string,
    listed?: { readonly tag: Tag; readonly at: number },
  ): Promise<void> {
    try {
      const unit = await store.read(org, id)
      if (unit !== undefined) keepChanged(catalog, unit, listed?.at)
    } catch (error) {
      if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) throw error
      // One unreadable document must not affect the others. Its tag is one from before the read: a later one might
      // belong to a document that was repaired since, and it would never be read again.
      log.warn('a unit is left out of lists: its document cannot be read', { org, id, error: error.message })
      catalog.damaged.set(id, { id, tag: listed?.tag, error })
      catalog.index.delete(id)
    }
  }

  async function liveUnit(
    what: 'name' | 'key',
    { org, name, key }: { org: string; name: string; key: string },
  ): Promise<Unit | undefined> {
    const { index } = await current(org)
    const id = what === 'name' ? index.liveByName(name) : index.byKey(key)
    const unit = id === undefined ? undefined : await store.load(org, id)
    const isIt = unit !== undefined && unit.value.deleted === undefined
    return isIt && (what === 'name' ? unit.value.name === name : unit.value.key === key) ? unit : undefined
  }

  async function list(query: UnitQuery, sight?: Sight): Promise<UnitPage> {
    const isVisible =
      sight === undefined || sight.seesAll ? undefined : (view: UnitView) => sight.may('unit:read', view)
    const catalog = await current(parseOrgName(query.org))
    const all = catalog.index.inOrder()
    const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
    const about = { asOf: asOf(catalog), damaged: catalog.damaged.size }
    const items: UnitView[] = []
    const turns = new Turns()
    let last: CatalogEntry | undefined
    for (let i = after === undefined ? 0 : firstAfter(all, after); i < all.length; i++) {
      const entry = all[i]
      if (entry === undefined || !couldMatch(entry, query)) continue
      const view = viewIn(entry)
      if (i % SLICE_UNITS === SLICE_UNITS - 1) await turns.pause()
      if (!hasLabels(view, query.labels)) continue
      if (isVisible !== undefined && !isVisible(view)) continue
      if (items.length === query.limit && last !== undefined)
        return { items, next: encodeCursor(last), ...about }
      items.push(view)
      last = entry
    }
    return { items, next: undefined, ...about }
  }

  return {
    list,
    liveUnit,
    underKey: async (org, prefix) => (await current(parseOrgName(org))).index.underKey(prefix),
    damaged: (org) => [...(catalogs.get(org)?.damaged.values() ?? [])],
    note,
    async current(org) {
      const catalog = await current(parseOrgName(org))
      return { entries: catalog.index.inOrder(), asOf: asOf(catalog) }
    },
    async all(org) {
      return (await current(org, true)).index.inOrder()
    },
    async idsNamed(org, name) {
      const { index } = await current(parseOrgName(org))
      return index.inOrder().flatMap((entry) => (entry.name === name ? [entry.id] : []))
    },
    async deletedByName(org, name) {
      const entries = [...(await current(org, true)).index.values()]
      const deleted = entries.filter((entry) => entry.name === name && entry.deletedAt > 0)
      return deleted.sort((a, b) => b.deletedAt - a.deletedAt).map(({ id }) => id)
    },
  }
}

function couldMatch(entry: CatalogEntry, query: UnitQuery): boolean {
  if ((query.deleted === 'only') !== entry.deletedAt > 0) return false
  if (query.prefix !== undefined && !entry.name.startsWith(query.prefix)) return false
  return query.search === undefined || entry.name.includes(query.search)
}

function hasLabels(view: UnitView, labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(labels).every(([name, value]) => view.labels[name] === value)
}
