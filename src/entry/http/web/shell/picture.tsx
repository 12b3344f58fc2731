import { type Layers, drawLayers } from '../../../../graph/index.ts'
import { type Look, Shape } from './status.tsx'

/** A box of a picture: a unit, a step, or a group of them. */
export interface PictureNode {
  readonly id: string
  /** Short: what does not fit is cut. */
  readonly label: string
  /** Read out, and shown when the pointer rests on it: the whole name and the status. */
  readonly title: string
  readonly look: Look
  readonly href: string
  /** A second line. */
  readonly note?: string | undefined
  readonly isSelected?: boolean
  readonly isGroup?: boolean
}

/** The way a change travels: from what is used to who uses it. */
export interface PictureEdge {
  readonly from: string
  readonly to: string
  readonly label?: string | undefined
  /** Given: it has the colour of this look, such as `stale` for outputs that changed. */
  readonly look?: Look | undefined
}

export interface DrawnPicture {
  readonly nodes: readonly PictureNode[]
  readonly edges: readonly PictureEdge[]
  readonly layers: Layers
}

const MOST_LETTERS = 30
const LETTER = 7.3
const PAD = 8

const MOST_NOTE_LETTERS = 44

const cutNote = (text: string) =>
  text.length > MOST_NOTE_LETTERS ? `${text.slice(0, MOST_NOTE_LETTERS - 1)}…` : text
const cut = (text: string) => (text.length > MOST_LETTERS ? `…${text.slice(1 - MOST_LETTERS)}` : text)

function sizeOf({ label, note = '' }: PictureNode) {
  const letters = Math.max(cut(label).length * LETTER, cutNote(note).length * 6.2)
  return { width: Math.round(letters) + 44, height: note === '' ? 36 : 50 }
}

/** Lays a picture out; `<Picture>` shows it. At most 300 nodes. Edges to what is not among the nodes are left out. */
export async function drawPicture(
  nodes: readonly PictureNode[],
  edges: readonly PictureEdge[],
): Promise<DrawnPicture> {
  const at = new Map(nodes.map(({ id }, i) => [id, i]))
  // Those that matter come first: of very many, the others do not decide where boxes are.
  const shown = edges
    .filter(({ from, to }) => at.has(from) && at.has(to))
    .toSorted((a, b) => Number(b.look !== undefined) - Number(a.look !== undefined))
  const layers = await drawLayers(
    nodes.map(sizeOf),
    shown.map(({ from, to, label }) => ({ from: at.get(from) ?? 0, to: at.get(to) ?? 0, label })),
  )
  return { nodes, edges: shown, layers }
}

/** `label`: for those who cannot see it. With JavaScript (`picture.js`) it can be zoomed and moved. */
export function Picture({ of, label }: { readonly of: DrawnPicture; readonly label: string }) {
  const { nodes, edges, layers } = of
  const [width, height] = [layers.width + 2 * PAD, layers.height + 2 * PAD]
  return (
    <section class="picture" data-picture aria-label={label}>
      <svg width={String(width)} height={String(height)} viewBox={`${-PAD} ${-PAD} ${width} ${height}`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="6"
            markerHeight="6"
            orient="auto"
          >
            <path d="M0 0l8 4-8 4z" fill="context-stroke" />
          </marker>
        </defs>
        <g aria-hidden="true">
          {edges.map(({ label: text, look }, i) => {
            const { d, label: place } = layers.lines[i] ?? { d: '', label: undefined }
            return (
              <g class={look === undefined ? 'edge' : `edge look-${look}`}>
                <path d={d} marker-end="url(#arrow)" />
                {text !== undefined && place !== undefined && (
                  <text x={place.x} y={place.y}>
                    {text}
                  </text>
                )}
              </g>
            )
          })}
        </g>
        {nodes.map((node, i) => (
          <PictureBox node={node} place={layers.boxes[i] ?? { x: 0, y: 0 }} />
        ))}
      </svg>
    </section>
  )
}

interface PictureBoxProps {
  readonly node: PictureNode
  readonly place: { readonly x: number; readonly y: number }
}

function PictureBox({ node, place: { x, y } }: PictureBoxProps) {
  const { label, title, look, href, note = '', isSelected, isGroup } = node
  const { width, height } = sizeOf(node)
  const [left, top] = [x - width / 2, y - height / 2]
  const classes = ['node', `look-${look}`, isSelected === true && 'selected', isGroup === true && 'group']
  return (
    <a href={href} class={classes.filter(Boolean).join(' ')} aria-label={title}>
      <title>{title}</title>
      {isGroup === true && <rect x={left + 4} y={top - 4} width={width} height={height} rx="6" />}
      <rect x={left} y={top} width={width} height={height} rx="6" />
      <svg x={left + 12} y={top + 12.5} width="11" height="11" overflow="visible">
        <Shape look={look} />
      </svg>
      <text x={left + 30} y={top + 22}>
        {cut(label)}
      </text>
      {note !== '' && (
        <text class="note" x={left + 30} y={top + 38}>
          {cutNote(note)}
        </text>
      )}
    </a>
  )
}
