import { badRequest } from '../../base/errors.ts'
import type { CatalogEntry } from './catalog-entry.ts'

/** The order of lists, by name, and cursors into it. Pure. */

export function byName(a: { name: string; id: string }, b: { name: string; id: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

export function liveByName(sorted: readonly CatalogEntry[], name: string): string | undefined {
  for (let i = firstAfter(sorted, { name, id: '' }); sorted[i]?.name === name; i++)
    if (sorted[i]?.deletedAt === 0) return sorted[i]?.id
  return undefined
}

export function firstAfter(sorted: readonly CatalogEntry[], after: { name: string; id: string }): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = sorted[middle]
    if (entry !== undefined && byName(entry, after) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

export function replaceSorted(sorted: CatalogEntry[], known: CatalogEntry, entry: CatalogEntry): void {
  const at = firstAfter(sorted, known) - 1
  if (sorted[at]?.id === entry.id) sorted[at] = entry
}

export function encodeCursor({ name, id }: CatalogEntry): string {
  return Buffer.from(`${name}\n${id}`).toString('base64url')
}

export function decodeCursor(cursor: string): { name: string; id: string } {
  const [name, id] = Buffer.from(cursor, 'base64url').toString('utf8').split('\n')
  if (name === undefined || id === undefined)
    throw badRequest('cursor', 'The cursor is invalid.', 'Leave it out to start from the beginning.')
  return { name, id }
}
