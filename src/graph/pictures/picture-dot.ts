import type { GraphEdgeView, GraphView, NodeView } from '../views.ts'
import { labelOf, statusLine, type Palette, palette } from './picture-words.ts'

/** The graph for Graphviz, drawn the way changes travel: from what is used to who uses it. Pure. */
export function dotOf({ nodes, edges }: Pick<GraphView, 'nodes' | 'edges'>): string {
  const shown = new Set(nodes.map(({ id }) => id))
  const gone = new Map(edges.flatMap(({ to, name }) => (shown.has(to) ? [] : [[to, name] as const])))
  return [
    'digraph units {',
    '  graph [rankdir=LR, ranksep=0.7, nodesep=0.25, bgcolor=transparent, pad=0.2]',
    '  node [shape=box, style="rounded,filled", fontname="Helvetica,Arial,sans-serif", fontsize=12, margin="0.18,0.09", penwidth=1.2]',
    '  edge [fontname="Helvetica,Arial,sans-serif", fontsize=9, arrowsize=0.7]',
    ...nodes.map(nodeLine),
    ...[...gone].map(([id, name]) => goneLine(id, name)),
    ...edges.map(edgeLine),
    '}\n',
  ].join('\n')
}

function nodeLine(node: NodeView): string {
  const { fill, line, text } = palette[node.status]
  return box(node.id, [node.name, statusLine(node)], {
    fillcolor: fill,
    color: line,
    fontcolor: text,
    tooltip: `${node.name}: ${statusLine(node)}`,
    ...(node.ready ? { penwidth: '2.4' } : {}),
    ...(node.status === 'never-applied' ? { style: 'rounded,filled,dashed' } : {}),
  })
}

function goneLine(id: string, name: string): string {
  const { fill, line, text } = palette.unknown
  const style = 'rounded,filled,dotted'
  return box(id, [name, 'gone'], { fillcolor: fill, color: line, fontcolor: text, style })
}

/** Wide enough for the widest of the fonts that a viewer may put in the place of Helvetica. */
function box(id: string, lines: readonly string[], attributes: Readonly<Record<string, string>>): string {
  const widest = Math.max(...lines.map((line, i) => line.length * (i === 0 ? 0.119 : 0.09)))
  const label = lines.map((line) => quoted(line).slice(1, -1)).join('\\n')
  return `  ${quoted(id)} [label="${label}", width=${(widest + 0.3).toFixed(2)}, ${written(attributes)}]`
}

function edgeLine(edge: GraphEdgeView): string {
  const attributes = {
    label: labelOf(edge),
    color: edgeColour(edge.state),
    fontcolor: edgeColour(edge.state),
    ...(edge.state === 'changed' ? { penwidth: '2' } : {}),
    ...(edge.state === 'unknown' || edge.state === 'dangling' ? { style: 'dashed' } : {}),
  }
  return `  ${quoted(edge.to)} -> ${quoted(edge.from)} [${written(attributes)}]`
}

function edgeColour(state: GraphEdgeView['state']): string {
  const line: Palette =
    state === 'changed' ? palette.stale : state === 'fresh' ? palette['up-to-date'] : palette.unknown
  return line.line
}

function written(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(', ')
}

function quoted(text: string): string {
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n]+/g, ' ')}"`
}
