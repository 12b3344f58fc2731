import type { NodeView } from '../../../../graph/index.ts'

/** Units of one folder, which a map shows together. */
export interface MapGroup {
  /** `prod/data`; empty: units without a folder. */
  readonly path: string
  readonly count: number
  readonly rows: readonly { readonly label: string; readonly nodes: readonly NodeView[] }[]
}

/** With more units than this, squares are small, and folders within a group are not told apart. */
const MOST_LARGE = 1_500
/** With more groups than this, groups are larger. */
const MOST_GROUPS = { large: 120, small: 48 }

export function isDense(nodes: readonly NodeView[]): boolean {
  return nodes.length > MOST_LARGE
}

/**
 * Units by folder: two parts of the path after the part that all have in common, and below that a row for each folder.
 * One part if two would make too many groups. Pure.
 */
export function groupUnits(nodes: readonly NodeView[]): readonly MapGroup[] {
  const common = commonFolder(nodes)
  const fine = groupedAt(nodes, common + 2)
  const most = MOST_GROUPS[isDense(nodes) ? 'small' : 'large']
  const groups = fine.length > most ? groupedAt(nodes, common + 1) : fine
  return isDense(nodes) ? groups.map(inOneRow) : groups
}

function groupedAt(nodes: readonly NodeView[], depth: number): readonly MapGroup[] {
  const groups = new Map<string, Map<string, NodeView[]>>()
  for (const node of nodes) {
    const folders = node.name.split('/').slice(0, -1)
    const path = folders.slice(0, depth).join('/')
    const label = folders.slice(depth).join('/')
    const rows = entryOf(groups, path, () => new Map<string, NodeView[]>())
    entryOf(rows, label, () => []).push(node)
  }
  return [...groups].toSorted(byName).map(([path, rows]) => ({
    path,
    count: [...rows.values()].reduce((sum, row) => sum + row.length, 0),
    rows: [...rows].toSorted(byName).map(([label, row]) => ({ label, nodes: row })),
  }))
}

function inOneRow({ rows, ...group }: MapGroup): MapGroup {
  return { ...group, rows: [{ label: '', nodes: rows.flatMap((row) => row.nodes) }] }
}

/** How many parts of the path all units have in common, their own names aside. */
function commonFolder(nodes: readonly NodeView[]): number {
  const [first] = nodes
  if (first === undefined) return 0
  let common = first.name.split('/').slice(0, -1)
  for (const { name } of nodes) {
    const folders = name.split('/').slice(0, -1)
    const end = common.findIndex((part, i) => folders[i] !== part)
    if (end !== -1) common = common.slice(0, end)
    if (common.length === 0) return 0
  }
  // Units that are all in one folder: that folder is their group.
  return Math.max(0, common.length - 1)
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}
