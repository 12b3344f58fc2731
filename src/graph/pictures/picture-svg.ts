import { Graphviz } from '@hpcc-js/wasm-graphviz'
import { badRequest } from '../../base/errors.ts'
import { dotOf } from './picture-dot.ts'
import type { GraphView } from '../views.ts'

/** Layout blocks the whole process, and no one can read more at once anyway. */
const MOST_NODES = 300
const MOST_EDGES = 1000

/** The graph as a picture. Loaded lazily: the layout engine is most of a megabyte. */
export async function svgOf(view: Pick<GraphView, 'nodes' | 'edges'>): Promise<string> {
  const { nodes, edges } = view
  if (nodes.length > MOST_NODES || edges.length > MOST_EDGES) {
    throw badRequest(
      'format',
      `A picture of ${nodes.length} units and ${edges.length} edges is too large.`,
      'Name a unit to draw only its neighbourhood, or get format=dot and draw it yourself.',
    )
  }
  const graphviz = await Graphviz.load()
  return withHeadings(graphviz.layout(dotOf(view), 'svg', 'dot'))
}

/**
 * The name bold, the rest smaller. Labels with fonts of their own would do it too, but they are aligned to the left,
 * so that a viewer with a wider font lets them stick out.
 */
function withHeadings(svg: string): string {
  return svg.replace(/<g id="node\d+" class="node">[^]*?<\/g>/g, (node) =>
    node
      .replaceAll(' font-size="12.00"', ' font-size="10.00"')
      .replace(' font-size="10.00"', ' font-size="12.00" font-weight="bold"'),
  )
}
