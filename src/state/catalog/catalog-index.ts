import type { CatalogEntry } from './catalog-entry.ts'
import { readEntryText, textsOf } from './catalog-entry.ts'
import { byName, firstAfter, liveByName, replaceSorted } from './catalog-order.ts'
import { packTexts } from './packed-texts.ts'

/** One organization's entries in memory, by id, name and key. One change costs about the same however many there are. */
export interface CatalogIndex {
  get(id: string): CatalogEntry | undefined
  values(): Iterable<CatalogEntry>
  set(entry: CatalogEntry): void
  delete(id: string): void
  /** By name, then id. Those who hold it see entries being replaced, and none come or go. */
  inOrder(): readonly CatalogEntry[]
  liveByName(name: string): string | undefined
  /** The unit that had this key when it was last seen: a hint, because documents change. */
  byKey(key: string): string | undefined
  /** Entries whose key starts with this, in no order. */
  underKey(prefix: string): readonly CatalogEntry[]
  /** Packs the texts that came since, if there are enough. After many changes: neighbours by name go together. */
  packLoose(): Promise<void>
}

/** As many texts that are not packed are worth packing. */
const PACK_FROM = 512
/** Where a larger share than this has moved, sorting everything again costs less than moving one by one. */
const SORT_AGAIN_FROM = 1 / 16

export function createCatalogIndex(): CatalogIndex {
  const entries = new Map<string, CatalogEntry>()
  /** Undefined: not requested yet. */
  let sorted: CatalogEntry[] | undefined
  /** Entries whose position in `sorted` must be found again, with the entry that is there now. */
  const moved = new Map<string, CatalogEntry | undefined>()
  /** Ids of entries whose texts are not packed. */
  const loose = new Set<string>()
  /** Ids by key, made when first asked for. */
  let keys: Map<string, string> | undefined

  function set(entry: CatalogEntry): void {
    const known = entries.get(entry.id)
    replace(known, entry)
    const isNew = known === undefined || known.name !== entry.name || known.deletedAt !== entry.deletedAt
    // A key changes only together with a restore.
    if (isNew && entry.deletedAt === 0) keys?.set(readEntryText(entry).view.key, entry.id)
  }

  function replace(known: CatalogEntry | undefined, entry: CatalogEntry): void {
    entries.set(entry.id, entry)
    if (typeof entry.text === 'string') loose.add(entry.id)
    else loose.delete(entry.id)
    if (sorted === undefined || moved.has(entry.id)) return
    if (known?.name === entry.name) replaceSorted(sorted, known, entry)
    else moved.set(entry.id, known)
  }

  function inOrder(): readonly CatalogEntry[] {
    if (sorted !== undefined && moved.size === 0) return sorted
    if (sorted === undefined || moved.size > Math.max(PACK_FROM, sorted.length * SORT_AGAIN_FROM))
      sorted = [...entries.values()].sort(byName)
    else {
      // Another caller may be iterating over the old one.
      sorted = [...sorted]
      for (const [id, before] of moved) move(sorted, before, entries.get(id))
    }
    moved.clear()
    return sorted
  }

  function idsByKey(): ReadonlyMap<string, string> {
    keys ??= new Map(
      inOrder().flatMap((entry) =>
        entry.deletedAt === 0 ? [[readEntryText(entry).view.key, entry.id] as const] : [],
      ),
    )
    return keys
  }

  async function packLoose(): Promise<void> {
    if (loose.size < PACK_FROM) return
    const some = [...loose].flatMap((id) => entries.get(id) ?? []).sort(byName)
    const texts = await packTexts(textsOf(some))
    // What changed meanwhile stays as it is.
    for (const [i, entry] of some.entries())
      if (entries.get(entry.id) === entry) replace(entry, { ...entry, text: texts[i] ?? entry.text })
  }

  return {
    get: (id) => entries.get(id),
    values: () => entries.values(),
    set,
    delete(id) {
      const known = entries.get(id)
      if (known === undefined) return
      entries.delete(id)
      loose.delete(id)
      if (sorted !== undefined && !moved.has(id)) moved.set(id, known)
    },
    inOrder,
    liveByName: (name) => liveByName(inOrder(), name),
    byKey: (key) => idsByKey().get(key),
    underKey(prefix) {
      const found: CatalogEntry[] = []
      for (const [key, id] of idsByKey()) {
        const entry = key.startsWith(prefix) ? entries.get(id) : undefined
        if (entry !== undefined && entry.deletedAt === 0) found.push(entry)
      }
      return found
    },
    packLoose,
  }
}

function move(
  sorted: CatalogEntry[],
  before: CatalogEntry | undefined,
  after: CatalogEntry | undefined,
): void {
  if (before !== undefined) {
    const at = firstAfter(sorted, before) - 1
    if (sorted[at]?.id === before.id) sorted.splice(at, 1)
  }
  if (after !== undefined) sorted.splice(firstAfter(sorted, after), 0, after)
}
