import type { Entry } from '../../bucket.ts'
import { checkPrefix, compareKeys, keyFault } from '../../keys.ts'
import type { Prefixed } from '../../prefix.ts'

export interface ListedPage<Item> {
  /** By the whole names that the store has for them. */
  readonly items: readonly Item[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}

export interface Listing<Item> {
  readonly names: Prefixed
  readonly prefix: string
  /** For a store that cannot begin right after a key itself. */
  readonly after?: string | undefined
  page(token: string | undefined): Promise<ListedPage<Item>>
  entryOf(key: string, item: Item): Entry
}

/** One request per page, and no empty pages. Leaves out objects whose keys cannot be addressed. */
export async function* listedEntries<Item extends { readonly name: string }>(
  listing: Listing<Item>,
): AsyncGenerator<readonly Entry[]> {
  const { names, after } = listing
  checkPrefix(listing.prefix)
  let token: string | undefined
  do {
    const { items, next } = await listing.page(token)
    const entries: Entry[] = []
    for (const item of items) {
      const key = names.short(item.name)
      if (key === undefined || keyFault(key) !== undefined) continue
      if (after === undefined || compareKeys(key, after) > 0) entries.push(listing.entryOf(key, item))
    }
    if (entries.length > 0) yield entries
    token = next
  } while (token !== undefined)
}
