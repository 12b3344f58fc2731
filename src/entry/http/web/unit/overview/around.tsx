import { unitPath } from '../../shell/addresses.ts'
import { type Look, Shape } from '../../shell/status.tsx'
import { type Neighbour, type Neighbours, outputLabel, sharedFolder } from './neighbours.ts'

/** So many units are drawn on each side. */
const MOST_DRAWN = 5
/** In pixels, as the stylesheet has them (`.around`). */
const [BOX, GAP, LINES] = [46, 14, 104]
const MOST_LETTERS = 15
/** On two lines. */
const MOST_NAME = 36

interface AroundProps {
  readonly of: Neighbours
  readonly unit: { readonly name: string; readonly look: Look; readonly words: string }
  readonly base: string
}

/**
 * The unit between what it uses and what uses it. The boxes are ordinary links, and the lines between them decoration: on
 * a narrow screen the boxes are one below the other, without lines.
 */
export function Around({ of: { uses, usedBy }, unit, base }: AroundProps) {
  const shown = [uses.slice(0, MOST_DRAWN), usedBy.slice(0, MOST_DRAWN)] as const
  const folder = sharedFolder([unit.name, ...shown.flat().map(({ name }) => name)])
  const rows = [uses, usedBy].map(({ length }) => Math.min(length, MOST_DRAWN + 1))
  const height = Math.max(1, ...rows) * (BOX + GAP) - GAP
  const more = unitPath(base, unit.name, 'dependencies')
  const side = (title: string, all: readonly Neighbour[]) => (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {all.slice(0, MOST_DRAWN).map((one) => (
          <li>
            <NeighbourBox of={one} folder={folder} base={base} />
          </li>
        ))}
        {all.length > MOST_DRAWN && (
          <li>
            <a class="box look-never rest" href={more}>
              {all.length - MOST_DRAWN} more {all.length === MOST_DRAWN + 1 ? 'unit' : 'units'}
            </a>
          </li>
        )}
      </ul>
    </section>
  )
  return (
    <div class="around-frame">
      <div class="around">
        {uses.length > 0 && (
          <>
            {side('Uses', uses)}
            <Lines of={uses} height={height} isLeft />
          </>
        )}
        <div class={`box this look-${unit.look}`} title={`${unit.name}: ${unit.words}`}>
          <Shape look={unit.look} />
          <span class="name">
            <Name text={unit.name.slice(folder.length)} />
          </span>
        </div>
        {usedBy.length > 0 && (
          <>
            <Lines of={usedBy} height={height} />
            {side('Used by', usedBy)}
          </>
        )}
      </div>
    </div>
  )
}

interface NeighbourBoxProps {
  readonly of: Neighbour
  readonly folder: string
  readonly base: string
}

function NeighbourBox({ of: { name, outputs, isChanged, look, words }, folder, base }: NeighbourBoxProps) {
  const title = `${name}: ${words}; ${outputs === null ? 'all outputs' : outputs.join(', ') || 'order only'}`
  return (
    <a class={`box look-${look}`} href={unitPath(base, name)} title={title}>
      <Shape look={look} />
      <span class="name">
        <Name text={name.slice(folder.length)} />
        <span class={isChanged ? 'via changed' : 'via'}>
          {outputLabel(outputs, 60)}
          {isChanged && ' changed'}
        </span>
      </span>
    </a>
  )
}

/** A long name breaks after its slashes, and keeps its end, which tells units apart. The title has all of it. */
function Name({ text }: { readonly text: string }) {
  const parts = (text.length > MOST_NAME ? `…${text.slice(1 - MOST_NAME)}` : text).split('/')
  return (
    <>
      {parts.map((part, at) =>
        at === parts.length - 1 ? (
          part
        ) : (
          <>
            {part}/<wbr />
          </>
        ),
      )}
    </>
  )
}

interface LinesProps {
  readonly of: readonly Neighbour[]
  readonly height: number
  /** True: they lead to the unit. */
  readonly isLeft?: boolean
}

function Lines({ of, height, isLeft = false }: LinesProps) {
  const rows = Math.min(of.length, MOST_DRAWN + 1)
  const middle = height / 2
  const lines = Array.from({ length: rows }, (_, at) => {
    const fromMiddle = at - (rows - 1) / 2
    const outer = middle + fromMiddle * (BOX + GAP)
    // They do not all end at the same point.
    const inner = middle + fromMiddle * Math.min(6, 28 / rows)
    const [start, end] = isLeft ? [outer, inner] : [inner, outer]
    return { ...placesOf(start, end), outer, isAbove: outer <= middle, of: of[at] }
  })
  return (
    <svg width={LINES} height={height} aria-hidden="true">
      {lines.map(({ d, tip, outer, isAbove, of: one }, at) => {
        const isRest = at >= MOST_DRAWN
        const isChanged = !isRest && one?.isChanged === true
        return (
          <g class={isChanged ? 'edge look-stale' : 'edge'}>
            <path d={d} />
            <path class="tip" d={tip} />
            {!isRest && one !== undefined && (
              <text
                x={isLeft ? 6 : LINES - 6}
                y={isAbove ? outer - 7 : outer + 16}
                class={isLeft ? 'start' : 'end'}
              >
                {outputLabel(one.outputs, MOST_LETTERS)}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}

/** A curve from the left edge to the right one, with a tip. */
function placesOf(start: number, end: number): { readonly d: string; readonly tip: string } {
  const [half, last] = [LINES / 2, LINES - 8]
  return {
    d: `M0 ${start}C${half} ${start} ${half} ${end} ${last} ${end}`,
    tip: `M${last} ${end - 4}l8 4-8 4z`,
  }
}
