import type { Child } from 'hono/jsx'
import { withQuery } from './addresses.ts'
import { REACHABLE } from './parts.tsx'

/** A column of a list: in the page, and in what is exported. */
export interface Column<T> {
  /** Empty: only in exports. */
  readonly label: string
  /** The name in exports, and in the address of a sorted list. */
  readonly name: string
  readonly cell: (item: T) => Child
  /** What is exported. */
  readonly value: (item: T) => string | number | boolean | null
  readonly isNumber?: boolean
  readonly isSortable?: boolean
}

export interface Sorting {
  readonly by: string
  readonly isDescending: boolean
}

/** `name` or `-name`, as it is in the address. */
export function sortingOf(
  text: string | undefined,
  columns: readonly Pick<Column<never>, 'name'>[],
): Sorting | undefined {
  if (text === undefined) return undefined
  const by = text.replace(/^-/, '')
  return columns.some(({ name }) => name === by) ? { by, isDescending: text.startsWith('-') } : undefined
}

interface DataTableProps<T> {
  readonly path: string
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly sorting?: Sorting | undefined
  /** Where `Enter` leads on a row. */
  readonly hrefOf?: (item: T) => string
}

/** A list as a table that scrolls inside its card. `j` and `k` go through its rows. */
export function DataTable<T>({ path, caption, columns: all, items, sorting, hrefOf }: DataTableProps<T>) {
  const columns = all.filter(({ label }) => label !== '')
  return (
    <section class="scroll" aria-label={caption} {...REACHABLE}>
      <table data-list>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading path={path} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr data-href={hrefOf?.(item)}>
              {columns.map(({ cell, isNumber }) => (
                <td class={isNumber === true ? 'num right' : undefined}>{cell(item)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface HeadingProps {
  readonly path: string
  readonly column: Pick<Column<never>, 'label' | 'name' | 'isNumber' | 'isSortable'>
  readonly sorting: Sorting | undefined
}

function Heading({ path, column: { label, name, isNumber, isSortable }, sorting }: HeadingProps) {
  const isSorted = sorting?.by === name
  const isDescending = isSorted && sorting.isDescending
  const order = isSorted ? (isDescending ? 'descending' : 'ascending') : undefined
  return (
    <th scope="col" class={isNumber === true ? 'right' : undefined} aria-sort={order}>
      {isSortable === true ? (
        <a href={withQuery(path, { sort: isSorted && !isDescending ? `-${name}` : name, page: undefined })}>
          {label}
          {isSorted && <span aria-hidden="true"> {isDescending ? '↓' : '↑'}</span>}
        </a>
      ) : (
        label
      )}
    </th>
  )
}

export interface Paging {
  /** From 1. */
  readonly page: number
  readonly size: number
  readonly total: number
}

/** The part of a list that is in memory which a page shows. A number beyond the end shows the last one. */
export function pageOf<T>(
  all: readonly T[],
  asked: number,
  size: number,
): { items: readonly T[]; paging: Paging } {
  const last = Math.max(1, Math.ceil(all.length / size))
  const page = Math.min(Math.max(1, asked), last)
  return { items: all.slice((page - 1) * size, page * size), paging: { page, size, total: all.length } }
}

/** The other pages of a list, and the list as a file. */
export function ListFooter({ path, paging }: { readonly path: string; readonly paging: Paging }) {
  const { page, size, total } = paging
  const last = Math.max(1, Math.ceil(total / size))
  const to = (at: number) => withQuery(path, { page: at === 1 ? undefined : String(at) })
  return (
    <div class="bar list-footer">
      <span class="muted num">
        {total === 0 ? 'none' : `${(page - 1) * size + 1} to ${Math.min(total, page * size)} of ${total}`}
      </span>
      {last > 1 && (
        <nav class="bar" aria-label="Pages">
          {page > 1 && (
            <a rel="prev" href={to(page - 1)}>
              Previous
            </a>
          )}
          {page < last && (
            <a rel="next" href={to(page + 1)}>
              Next
            </a>
          )}
        </nav>
      )}
      <Exports path={path} />
    </div>
  )
}

/** For lists that are paged by a cursor: links to the first and the next page, and to exports. */
export function CursorFooter({ path, next }: { readonly path: string; readonly next: string | undefined }) {
  const first = withQuery(path, { cursor: undefined })
  return (
    <div class="bar list-footer">
      {first !== withQuery(path, {}) && (
        <a rel="first" href={first}>
          First page
        </a>
      )}
      {next !== undefined && (
        <a rel="next" href={withQuery(path, { cursor: next })}>
          Next page
        </a>
      )}
      <Exports path={path} />
    </div>
  )
}

/** The whole list as a file. */
export function Exports({ path }: { readonly path: string }) {
  const all = (format: string) => withQuery(path, { format, page: undefined, cursor: undefined })
  return (
    <span class="end bar muted">
      <a href={all('csv')} download>
        CSV
      </a>
      <a href={all('json')} download>
        JSON
      </a>
    </span>
  )
}
