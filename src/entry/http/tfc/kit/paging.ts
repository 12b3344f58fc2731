import { z } from 'zod'
import type { Exchange } from '../../kit/exchange.ts'
import { type DocumentParts, type ResourceObject, document } from './json-api.ts'

const DEFAULT_SIZE = 20
const MOST = 100

const page = (most: number) => z.coerce.number().int().min(1).max(most)

/** What every list takes. Merge it into the query of a list; queries ignore what they do not know. */
export const paging = {
  'page[number]': page(1_000_000).default(1).meta({ description: 'The first page is 1.' }),
  'page[size]': z.coerce
    .number()
    .int()
    .min(1)
    .transform((size) => Math.min(size, MOST))
    .default(DEFAULT_SIZE)
    .meta({ description: 'At most 100.' }),
  include: z.string().optional(),
}

export interface PageQuery {
  readonly 'page[number]': number
  readonly 'page[size]': number
}

export interface Paged<T> {
  readonly items: readonly T[]
  readonly meta: { readonly pagination: Readonly<Record<string, number | null>> }
  readonly links: Readonly<Record<string, string | null>>
}

/** One page of a list that is complete, with what clients need to ask for the others. */
export function paged<T>(all: readonly T[], query: PageQuery, x: Pick<Exchange, 'path' | 'query'>): Paged<T> {
  const { 'page[number]': number, 'page[size]': size } = query
  const start = (number - 1) * size
  return pageOf(all.slice(start, start + size), all.length, query, x)
}

/** For lists that are made page by page. */
export function pageOf<T>(
  items: readonly T[],
  total: number,
  { 'page[number]': number, 'page[size]': size }: PageQuery,
  x: Pick<Exchange, 'path' | 'query'>,
): Paged<T> {
  const pages = Math.max(1, Math.ceil(total / size))
  const previous = number > 1 ? Math.min(number - 1, pages) : null
  const next = number < pages ? number + 1 : null
  const link = (to: number | null) => (to === null ? null : addressOf(x, to, size))
  return {
    items,
    meta: {
      pagination: {
        'current-page': number,
        'page-size': size,
        'prev-page': previous,
        'next-page': next,
        'total-pages': pages,
        'total-count': total,
      },
    },
    links: { self: link(number), first: link(1), prev: link(previous), next: link(next), last: link(pages) },
  }
}

/** The answer to a request for a list. */
export function listed(
  { items, meta, links }: Paged<ResourceObject>,
  parts: Pick<DocumentParts, 'included'> = {},
) {
  return document(items, { ...parts, meta, links })
}

function addressOf({ path, query }: Pick<Exchange, 'path' | 'query'>, number: number, size: number): string {
  const parameters = new URLSearchParams(query)
  parameters.set('page[number]', String(number))
  parameters.set('page[size]', String(size))
  return `${path}?${parameters.toString()}`
}
