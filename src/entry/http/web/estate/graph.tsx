import type { GraphEdgeView, NodeView } from '../../../../graph/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { Card } from '../shell/parts.tsx'
import { type DrawnPicture, Picture, drawPicture } from '../shell/picture.tsx'
import { LOOKS, LOOK_WORDS, lookOf, lookWords } from '../shell/status.tsx'
import {
  type BoxEdge,
  type Collapsed,
  type GraphBox,
  collapseGraph,
  linesToDraw,
  worstLook,
} from './collapse.ts'
import { type EstateQuery, countLooks } from './selection.ts'

export interface DrawnGraph {
  readonly picture: DrawnPicture
  readonly open: readonly string[]
  /** Lines that are not drawn, because there are too many. */
  readonly leftOut: number
}

/** Units and closed folders, in layers. */
export async function drawEstate(
  nodes: readonly NodeView[],
  edges: readonly GraphEdgeView[],
  query: EstateQuery,
  path: string,
): Promise<DrawnGraph> {
  const collapsed: Collapsed = collapseGraph(nodes, edges, query)
  const selected = collapsed.boxes.find(({ node }) => node !== undefined && node.name === query.unit)
  const { lines, leftOut } = linesToDraw(collapsed.edges, selected?.id)
  const picture = await drawPicture(
    collapsed.boxes.map((box) => boxNode(box, query, path)),
    lines.map((line) => edgeBetween(line, lines.length <= MOST_LABELS)),
  )
  return { picture, open: collapsed.open, leftOut }
}

function boxNode({ id, path: place, node, units }: GraphBox, query: EstateQuery, path: string) {
  if (node === undefined) {
    const look = worstLook(units)
    const counts = countLooks(units)
    const worst = LOOKS.filter((one) => one !== 'ok' && counts.has(one))
      .slice(0, 2)
      .map((one) => `${counts.get(one)} ${LOOK_WORDS[one]}`)
    const note = [`${units.length} units`, ...worst].join(', ')
    const href = opened(path, query, place)
    return { id, look, href, label: `${place}/`, note, title: `${place}/: ${note}. Opens it.`, isGroup: true }
  }
  return {
    id,
    look: lookOf(node),
    label: node.name.split('/').slice(-2).join('/'),
    title: `${node.name}: ${lookWords(node)}`,
    href: withQuery(path, { unit: node.name }),
    isSelected: node.name === query.unit,
  }
}

/** With more edges than this, names on them cover each other. */
const MOST_LABELS = 40

function edgeBetween({ from, to, edges }: BoxEdge, hasLabel: boolean) {
  const changed = edges.filter(({ state }) => state === 'changed')
  const names = new Set((changed.length > 0 ? changed : edges).flatMap((edge) => edge.outputs ?? []))
  const [only] = names
  const label = hasLabel && names.size === 1 ? only : undefined
  return { from, to, label, look: changed.length > 0 ? ('stale' as const) : undefined }
}

function opened(path: string, { open, shut }: EstateQuery, folder: string): string {
  return withLists(path, { open: [...open, folder], shut: shut.filter((one) => one !== folder) })
}

function closed(path: string, { open, shut }: EstateQuery, folder: string): string {
  const isWithin = (one: string) => `${one}/`.startsWith(`${folder}/`)
  return withLists(path, { open: open.filter((one) => !isWithin(one)), shut: [...shut, folder] })
}

function withLists(
  path: string,
  lists: { readonly open: readonly string[]; readonly shut: readonly string[] },
) {
  const url = new URL(withQuery(path, { open: undefined, shut: undefined }), 'http://own.invalid')
  for (const [name, values] of Object.entries(lists))
    for (const value of new Set(values)) url.searchParams.append(name, value)
  return url.pathname + url.search
}

interface EstateGraphProps {
  readonly graph: DrawnGraph
  readonly query: EstateQuery
  readonly path: string
}

export function EstateGraph({ graph: { picture, open, leftOut }, query, path }: EstateGraphProps) {
  return (
    <Card>
      {(open.length > 0 || query.around !== undefined) && (
        <p class="bar folders">
          {query.around !== undefined && (
            <a class="filter" href={withQuery(path, { around: undefined })}>
              around <code>{query.around}</code> <span aria-hidden="true">×</span>
              <span class="unseen">: show all units</span>
            </a>
          )}
          {open.length > 0 && <span class="muted">Open folders:</span>}
          {open.map((folder) => (
            <a class="filter" href={closed(path, query, folder)}>
              <code>{folder}/</code> <span aria-hidden="true">×</span>
              <span class="unseen">: close</span>
            </a>
          ))}
        </p>
      )}
      <Picture of={picture} label="Units and what they use" />
      {leftOut > 0 && (
        <p class="muted">
          {leftOut.toLocaleString('en')} lines are left out: those that stand for the fewest dependencies.
          Open a folder and select a unit to see all that it uses.
        </p>
      )}
    </Card>
  )
}
