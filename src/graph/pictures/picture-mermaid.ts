import { labelOf, palette, statusLine } from './picture-words.ts'
import type { GraphView } from '../views.ts'

/** The graph for Mermaid, which GitHub and many wikis draw. Pure. */
export function mermaidOf({ nodes, edges }: Pick<GraphView, 'nodes' | 'edges'>): string {
  const numbers = new Map<string, string>()
  const lines = ['flowchart LR']
  for (const node of nodes) {
    numbers.set(node.id, `u${numbers.size}`)
    const state = classOf(node.status) + (node.ready ? '_ready' : '')
    lines.push(
      `  ${numbers.get(node.id)}["${escaped(node.name)}<br/><small>${escaped(statusLine(node))}</small>"]:::${state}`,
    )
  }
  for (const { to, name } of edges) {
    if (numbers.has(to)) continue
    numbers.set(to, `u${numbers.size}`)
    lines.push(`  ${numbers.get(to)}["${escaped(name)}<br/><small>gone</small>"]:::unknown`)
  }
  for (const edge of edges) {
    const label = labelOf(edge)
    const arrow = { fresh: '-->', changed: '==>', unknown: '-.->', dangling: '-.->' }[edge.state]
    const text = label === '' ? '' : `|"${escaped(label)}"|`
    lines.push(`  ${numbers.get(edge.to)} ${arrow}${text} ${numbers.get(edge.from)}`)
  }
  for (const [status, { fill, line, text }] of Object.entries(palette)) {
    const dash = status === 'never-applied' ? ',stroke-dasharray:4 3' : ''
    lines.push(`  classDef ${classOf(status)} fill:${fill},stroke:${line},color:${text}${dash}`)
  }
  const { fill, line, text } = palette.stale
  lines.push(`  classDef stale_ready fill:${fill},stroke:${line},color:${text},stroke-width:3px`)
  return `${lines.join('\n')}\n`
}

/** Without dashes, which Mermaid may take for the beginning of an arrow. */
function classOf(status: string): string {
  return status.replaceAll('-', '_')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\r\n]+/g, ' ')
}
