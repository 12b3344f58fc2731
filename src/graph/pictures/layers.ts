import { Graphviz } from '@hpcc-js/wasm-graphviz'
import { badRequest } from '../../base/errors.ts'

/** Layout blocks the whole process, and no one can read more at once anyway. */
export const MOST_BOXES = 300
/** Only so many lines decide where boxes are, and are led around them; the rest would take seconds. */
const MOST_ROUTED = 200

export interface Box {
  /** In pixels. */
  readonly width: number
  readonly height: number
}

export interface Line {
  /** Numbers of boxes. It points from left to right. */
  readonly from: number
  readonly to: number
  readonly label?: string | undefined
}

interface Place {
  readonly x: number
  readonly y: number
}

/** In pixels, from the top left. */
export interface Layers {
  readonly width: number
  readonly height: number
  /** The centre of each box. */
  readonly boxes: readonly Place[]
  /** The path of each line, as SVG writes it, and where its label goes. */
  readonly lines: readonly { readonly d: string; readonly label: Place | undefined }[]
}

const PIXELS = 72

/** Boxes in layers from left to right. Loaded lazily: the layout engine is most of a megabyte. */
export async function layInLayers(boxes: readonly Box[], lines: readonly Line[]): Promise<Layers> {
  if (boxes.length > MOST_BOXES)
    throw badRequest(
      'view',
      `A picture of ${boxes.length} boxes is too large.`,
      'Choose fewer units, or collapse groups of them.',
    )
  const graphviz = await Graphviz.load()
  const routed = lines.slice(0, MOST_ROUTED)
  return read(graphviz.layout(dotOf(boxes, routed), 'plain', 'dot'), boxes, lines)
}

function dotOf(boxes: readonly Box[], lines: readonly Line[]): string {
  const inches = (pixels: number) => (pixels / PIXELS).toFixed(3)
  return [
    'digraph {',
    'graph [rankdir=LR, ranksep=0.9, nodesep=0.2, nslimit=1, nslimit1=1, mclimit=0.5]',
    'node [shape=box, fixedsize=true, label=""]',
    'edge [fontsize=11, fontname="Courier"]',
    ...boxes.map(({ width, height }, i) => `n${i} [width=${inches(width)}, height=${inches(height)}]`),
    // Only the room that a label takes matters here.
    ...lines.map(({ from, to, label }, i) => {
      const room = label === undefined ? '' : `, label="${'m'.repeat(Math.min(label.length, 40))}"`
      return `n${from} -> n${to} [id=${i}${room}]`
    }),
    '}',
  ].join('\n')
}

/** https://graphviz.org/docs/outputs/plain. It is in inches, from the bottom left. */
function read(plain: string, sizes: readonly Box[], lines: readonly Line[]): Layers {
  const rows = plain.split('\n').map((row) => row.split(' '))
  const [, , width = 0, height = 0] = rows[0]?.map(Number) ?? []
  const place = (x: string | undefined, y: string | undefined): Place => ({
    x: round(Number(x) * PIXELS),
    y: round((height - Number(y)) * PIXELS),
  })
  const boxes: Place[] = sizes.map(() => ({ x: 0, y: 0 }))
  const drawn = new Map<string, Layers['lines'][number][]>()
  for (const row of rows) {
    if (row[0] === 'node') boxes[Number(row[1]?.slice(1))] = place(row[2], row[3])
    if (row[0] !== 'edge') continue
    const points = Number(row[3])
    const at = (i: number) => place(row[4 + 2 * i], row[5 + 2 * i])
    const after = row.slice(4 + 2 * points)
    // A label stands between the points and the style.
    const label = after.length > 2 ? place(after[1], after[2]) : undefined
    const key = `${row[1]} ${row[2]}`
    drawn.set(key, [...(drawn.get(key) ?? []), { d: pathThrough(points, at), label }])
  }
  /** From the right side of one box to the left side of the other. */
  function direct(from: number, to: number): string {
    const [start, end] = [boxes[from] ?? { x: 0, y: 0 }, boxes[to] ?? { x: 0, y: 0 }]
    const x1 = start.x + (sizes[from]?.width ?? 0) / 2
    const x2 = end.x - (sizes[to]?.width ?? 0) / 2
    const middle = round((x1 + x2) / 2)
    return `M${round(x1)} ${start.y}C${middle} ${start.y} ${middle} ${end.y} ${round(x2)} ${end.y}`
  }

  return {
    width: round(width * PIXELS),
    height: round(height * PIXELS),
    boxes,
    lines: lines.map(
      ({ from, to }) => drawn.get(`n${from} n${to}`)?.shift() ?? { d: direct(from, to), label: undefined },
    ),
  }
}

/** Graphviz gives the control points of cubic curves, one after the other. */
function pathThrough(points: number, at: (i: number) => Place): string {
  const first = at(0)
  const rest = Array.from({ length: points - 1 }, (_, i) => at(i + 1))
  return `M${first.x} ${first.y}C${rest.map(({ x, y }) => `${x} ${y}`).join(' ')}`
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
