import type { GraphEdgeView, NodeView } from '../../../../graph/index.ts'
import { LOOKS, type Look, lookOf } from '../shell/status.tsx'

/** A unit, or a folder that is closed with everything below it. */
export interface GraphBox {
  /** The id of the unit, or `path/` for a folder. */
  readonly id: string
  readonly path: string
  readonly node: NodeView | undefined
  readonly units: readonly NodeView[]
}

export interface BoxEdge {
  readonly from: string
  readonly to: string
  readonly edges: readonly GraphEdgeView[]
}

export interface Collapsed {
  readonly boxes: readonly GraphBox[]
  readonly edges: readonly BoxEdge[]
  /** Folders that are open, from the top, and can be closed. Of a small estate none needs to be. */
  readonly open: readonly string[]
}

/** A picture opens as many folders by itself as leave at most so many boxes. */
const READABLE_BOXES = 14
/** An estate as small as this is shown whole. */
const SMALL = 40
/** No picture has more. */
const MOST_BOXES = 300

interface Folder {
  readonly path: string
  readonly units: NodeView[]
  readonly folders: Map<string, Folder>
  count: number
}

/**
 * The graph with folders that are closed as one box each, so that it can be read. `open` and `shut`: what the person
 * decided; otherwise the folders at the top are opened as long as there is room. Pure.
 */
export function collapseGraph(
  nodes: readonly NodeView[],
  edges: readonly GraphEdgeView[],
  { open, shut }: { readonly open: readonly string[]; readonly shut: readonly string[] },
): Collapsed {
  const root = treeOf(nodes)
  const opened = foldersToOpen(root, new Set(open), new Set(shut))
  const boxes: GraphBox[] = []
  const boxOf = new Map<string, string>()
  const add = (box: GraphBox) => {
    boxes.push(box)
    for (const { id } of box.units) boxOf.set(id, box.id)
  }
  const walk = (folder: Folder) => {
    for (const below of folder.folders.values()) {
      if (opened.has(below.path)) walk(below)
      else add({ id: `${below.path}/`, path: below.path, node: undefined, units: unitsBelow(below) })
    }
    for (const node of folder.units) add({ id: node.id, path: node.name, node, units: [node] })
  }
  walk(root)
  return { boxes, edges: joined(edges, boxOf), open: root.count <= SMALL ? [] : [...opened].toSorted() }
}

function treeOf(nodes: readonly NodeView[]): Folder {
  const root: Folder = { path: '', units: [], folders: new Map(), count: 0 }
  for (const node of nodes) {
    let at = root
    at.count++
    for (const part of node.name.split('/').slice(0, -1)) {
      let next = at.folders.get(part)
      if (next === undefined) {
        next = { path: at.path === '' ? part : `${at.path}/${part}`, units: [], folders: new Map(), count: 0 }
        at.folders.set(part, next)
      }
      at = next
      at.count++
    }
    at.units.push(node)
  }
  return root
}

/** Level by level, small folders first. What was opened by hand comes before what there is room for. */
function foldersToOpen(root: Folder, open: ReadonlySet<string>, shut: ReadonlySet<string>): Set<string> {
  const opened = new Set<string>()
  let boxes = root.folders.size + root.units.length
  const growth = (folder: Folder) => folder.folders.size + folder.units.length - 1
  const openFrom = (isWanted: (folder: Folder) => boolean, most: number) => {
    let level = [...root.folders.values()]
    while (level.length > 0) {
      for (const folder of level.toSorted((a, b) => growth(a) - growth(b))) {
        if (opened.has(folder.path) || !isWanted(folder) || boxes + growth(folder) > most) continue
        opened.add(folder.path)
        boxes += growth(folder)
      }
      level = level.flatMap((folder) => (opened.has(folder.path) ? [...folder.folders.values()] : []))
    }
  }
  const isAbove = ({ path }: Folder) => [...open].some((one) => `${one}/`.startsWith(`${path}/`))
  openFrom(isAbove, MOST_BOXES)
  openFrom(({ path }) => !shut.has(path), root.count <= SMALL ? MOST_BOXES : Math.max(READABLE_BOXES, boxes))
  return opened
}

function unitsBelow({ units, folders }: Folder): readonly NodeView[] {
  return [...units, ...[...folders.values()].flatMap(unitsBelow)]
}

/** What is between two boxes becomes one edge; what is within a box disappears. */
function joined(edges: readonly GraphEdgeView[], boxOf: ReadonlyMap<string, string>): readonly BoxEdge[] {
  const found = new Map<string, { from: string; to: string; edges: GraphEdgeView[] }>()
  for (const edge of edges) {
    const [from, to] = [boxOf.get(edge.to), boxOf.get(edge.from)]
    if (from === undefined || to === undefined || from === to) continue
    const key = `${from} ${to}`
    const known = found.get(key)
    if (known === undefined) found.set(key, { from, to, edges: [edge] })
    else known.edges.push(edge)
  }
  return [...found.values()]
}

/** With more lines than this, none of them can be followed. */
const MOST_LINES = 48

/**
 * The lines that are worth drawing, if there are too many: those of the selected unit, those along which something
 * changed, and those that stand for the most dependencies. Pure.
 */
export function linesToDraw(
  edges: readonly BoxEdge[],
  selected: string | undefined,
): { readonly lines: readonly BoxEdge[]; readonly leftOut: number } {
  if (edges.length <= MOST_LINES) return { lines: edges, leftOut: 0 }
  const weight = ({ from, to, edges: all }: BoxEdge) => {
    if (selected !== undefined && (from === selected || to === selected)) return Infinity
    return all.some(({ state }) => state === 'changed') ? Number.MAX_SAFE_INTEGER : all.length
  }
  const lines = edges.toSorted((a, b) => (weight(b) > weight(a) ? 1 : weight(b) < weight(a) ? -1 : 0))
  return { lines: lines.slice(0, MOST_LINES), leftOut: edges.length - MOST_LINES }
}

/** The look that wants attention most. */
export function worstLook(nodes: readonly NodeView[]): Look {
  const looks = new Set(nodes.map(lookOf))
  return LOOKS.find((look) => looks.has(look)) ?? 'ok'
}
