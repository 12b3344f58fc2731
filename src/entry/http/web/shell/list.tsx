import { z } from 'zod'
import { withQuery } from './addresses.ts'
import { ExportFormat } from './export.ts'
import { FindForm } from './form/find-form.tsx'
import { type Column, DataTable, ListFooter, type Paging, type Sorting, pageOf, sortingOf } from './table.tsx'

/** What the address of a list says. What is wrong in it is left out rather than refused: people edit addresses. */
export const ListQuery = z.object({
  search: z.string().trim().default('').catch(''),
  /** `name` or `-name` of a column. */
  sort: z.string().optional().catch(undefined),
  page: z.coerce.number().int().default(1).catch(1),
  format: ExportFormat.catch(undefined),
})
export type ListAsked = Partial<Pick<z.output<typeof ListQuery>, 'search' | 'sort' | 'page'>>

/** For a link from one list to another. */
export const WHOLE_LIST = { search: undefined, sort: undefined, page: undefined }

/** A list that is in memory, as its address asks for it. */
export interface Arranged<T> {
  readonly columns: readonly Column<T>[]
  /** All that match, in order: what is exported. */
  readonly found: readonly T[]
  /** Those on the page. */
  readonly items: readonly T[]
  readonly paging: Paging
  readonly sorting: Sorting | undefined
  readonly asked: ListAsked
  /** Before the search. */
  readonly total: number
}

/** The search looks at what is exported of each item. Pure. */
export function arrange<T>(
  all: readonly T[],
  columns: readonly Column<T>[],
  asked: ListAsked,
  size = 50,
): Arranged<T> {
  const wanted = (asked.search ?? '').toLowerCase()
  const matches = (item: T) =>
    columns.some(({ value }) =>
      String(value(item) ?? '')
        .toLowerCase()
        .includes(wanted),
    )
  const sorting = sortingOf(asked.sort, columns)
  const found = sorted(wanted === '' ? all : all.filter(matches), columns, sorting)
  return { columns, found, sorting, asked, total: all.length, ...pageOf(found, asked.page ?? 1, size) }
}

/** By what a column exports; what has no value comes last. Without a sorting, as they come. Pure. */
export function sorted<T>(
  items: readonly T[],
  columns: readonly Pick<Column<T>, 'name' | 'value'>[],
  sorting: Sorting | undefined,
): readonly T[] {
  const valueOf = columns.find(({ name }) => name === sorting?.by)?.value
  if (valueOf === undefined) return items
  const sign = sorting?.isDescending === true ? -1 : 1
  return items.toSorted((a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)]
    if (one === other) return 0
    if (one === null || other === null) return one === null ? 1 : -1
    return one < other ? -sign : sign
  })
}

/** A list is searched once it does not fit a screen. */
const FEW = 10

interface ListProps<T> {
  /** Of the page, with the filters that are not those of the list. */
  readonly path: string
  readonly caption: string
  readonly list: Arranged<T>
  /** Shown when the list is empty. */
  readonly empty: string
  /** Further columns that are not exported: with buttons. */
  readonly actions?: readonly Column<T>[]
  readonly hrefOf?: (item: T) => string
  /** False: the page has a search of its own. */
  readonly hasSearch?: boolean
}

/** The table with its search, its other pages and its exports. Every column sorts. */
export function List<T>(props: ListProps<T>) {
  const { path, caption, list, empty, actions = [], hrefOf, hasSearch = true } = props
  const { search, sort } = list.asked
  const shown = withQuery(path, { ...(search === undefined ? {} : { search }), sort })
  const columns = list.columns.map((column) => ({ isSortable: true, ...column }))
  return (
    <>
      {hasSearch && (list.total > FEW || (search ?? '') !== '') && (
        <FindForm path={shown} search={search ?? ''} label="Contains" />
      )}
      {list.items.length === 0 ? (
        <p class="muted">{list.total === 0 ? empty : 'Nothing matches.'}</p>
      ) : (
        <DataTable
          path={shown}
          caption={caption}
          columns={[...columns, ...actions]}
          items={list.items}
          sorting={list.sorting}
          {...(hrefOf === undefined ? {} : { hrefOf })}
        />
      )}
      <ListFooter path={shown} paging={list.paging} />
    </>
  )
}
