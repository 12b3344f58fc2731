import { sayAuthor } from '../../../../base/text/author.ts'
import type { NodeView } from '../../../../graph/index.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { Ago, Card } from '../shell/parts.tsx'
import { LOOKS, StatusChip, lookOf, lookWords } from '../shell/status.tsx'
import { type Column, DataTable, ListFooter, type Sorting, pageOf, sortingOf } from '../shell/table.tsx'

const PAGE_SIZE = 100

export const unitColumns = (now: number): readonly Column<NodeView>[] => [
  {
    name: 'name',
    label: 'Unit',
    isSortable: true,
    cell: ({ name }) => <span class="mono">{name}</span>,
    value: ({ name }) => name,
  },
  {
    name: 'status',
    label: 'Status',
    isSortable: true,
    cell: (node) => <StatusChip node={node} />,
    value: lookWords,
  },
  {
    name: 'commit',
    label: 'Commit',
    isNumber: true,
    isSortable: true,
    cell: ({ commit }) => commit ?? '',
    value: ({ commit }) => commit,
  },
  {
    name: 'at',
    label: 'Written',
    isSortable: true,
    cell: ({ at }) => (at === null ? <span class="muted">never</span> : <Ago at={at} now={now} />),
    value: ({ at }) => at,
  },
  {
    name: 'by',
    label: 'By',
    isSortable: true,
    cell: ({ by, who }) => (by === null ? '' : sayAuthor({ by, who })),
    value: ({ by }) => by,
  },
]

/** For what does not depend on the time: sorting and exports. */
export const COLUMNS = unitColumns(0)

/** By name as they come; by status in the order in which they want attention. Pure. */
export function sortUnits(nodes: readonly NodeView[], sorting: Sorting | undefined): readonly NodeView[] {
  const column = COLUMNS.find(({ name }) => name === sorting?.by)
  if (column === undefined) return nodes
  const keyOf = column.name === 'status' ? (node: NodeView) => LOOKS.indexOf(lookOf(node)) : column.value
  const sign = sorting?.isDescending === true ? -1 : 1
  const keyed = nodes.map((node) => ({ node, key: keyOf(node) }))
  // What has no value comes last either way.
  keyed.sort((a, b) => {
    if (a.key === b.key) return 0
    if (a.key === null || b.key === null) return a.key === null ? 1 : -1
    return a.key < b.key ? -sign : sign
  })
  return keyed.map(({ node }) => node)
}

export function sortingIn(sort: string | undefined): Sorting | undefined {
  return sortingOf(sort, COLUMNS)
}

interface UnitTableProps {
  readonly path: string
  readonly base: string
  readonly nodes: readonly NodeView[]
  readonly page: number
  readonly sorting: Sorting | undefined
  readonly now: number
}

export function UnitTable({ path, base, nodes, page, sorting, now }: UnitTableProps) {
  const { items, paging } = pageOf(sortUnits(nodes, sorting), page, PAGE_SIZE)
  const columns = unitColumns(now).map((column) =>
    column.name === 'name'
      ? { ...column, cell: (node: NodeView) => <UnitCell path={path} node={node} /> }
      : column,
  )
  return (
    <Card>
      <DataTable
        path={path}
        caption="Units"
        columns={columns}
        items={items}
        sorting={sorting}
        hrefOf={({ name }) => unitPath(base, name)}
      />
      <ListFooter path={path} paging={paging} />
    </Card>
  )
}

function UnitCell({ path, node: { name } }: { readonly path: string; readonly node: NodeView }) {
  return (
    <a class="mono" href={withQuery(path, { unit: name })} data-select>
      {name}
    </a>
  )
}
