import { dotOf } from './picture-dot.ts'
import { mermaidOf } from './picture-mermaid.ts'
import type { GraphView } from '../views.ts'
import type { Box, Layers, Line } from './layers.ts'

export const pictureFormats = ['dot', 'mermaid', 'svg'] as const
export type PictureFormat = (typeof pictureFormats)[number]

export async function drawGraph(
  view: Pick<GraphView, 'nodes' | 'edges'>,
  format: PictureFormat,
): Promise<{ readonly type: string; readonly text: string }> {
  if (format === 'dot') return { type: 'text/vnd.graphviz; charset=utf-8', text: dotOf(view) }
  if (format === 'mermaid') return { type: 'text/plain; charset=utf-8', text: mermaidOf(view) }
  const { svgOf } = await import('./picture-svg.ts')
  return { type: 'image/svg+xml; charset=utf-8', text: await svgOf(view) }
}

/** Boxes in layers, for those who draw them by themselves. At most 300. */
export async function drawLayers(boxes: readonly Box[], lines: readonly Line[]): Promise<Layers> {
  const { layInLayers } = await import('./layers.ts')
  return layInLayers(boxes, lines)
}
