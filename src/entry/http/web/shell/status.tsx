import type { NodeView } from '../../../../graph/index.ts'

/**
 * How a unit looks, in the map, chips, tables and the graph: a colour (`.look-…` in taco.css) and a shape, so that it
 * reads without colour.
 */
export type Look = 'ok' | 'stale' | 'wait' | 'unknown' | 'never' | 'missing' | 'run' | 'fail' | 'drift'

/** In the order in which they want attention. */
export const LOOKS: readonly Look[] = [
  'fail',
  'missing',
  'stale',
  'wait',
  'run',
  'drift',
  'unknown',
  'never',
  'ok',
]

export const LOOK_WORDS: Readonly<Record<Look, string>> = {
  fail: 'failed',
  missing: 'state missing',
  stale: 'stale',
  wait: 'waiting',
  run: 'running',
  drift: 'drifted',
  unknown: 'unknown',
  never: 'never applied',
  ok: 'up to date',
}

const BY_STATUS: Readonly<Record<NodeView['status'], Look>> = {
  'up-to-date': 'ok',
  stale: 'stale',
  waiting: 'wait',
  unknown: 'unknown',
  'never-applied': 'never',
  'state-missing': 'missing',
}

type Shown = Pick<NodeView, 'status' | 'marks'>

/** What happens now, and what went wrong, goes before what was computed. */
export function lookOf({ status, marks }: Shown): Look {
  if (marks.includes('running')) return 'run'
  if (marks.includes('failed')) return 'fail'
  return BY_STATUS[status]
}

/** For a step of something, a token, and whatever else is not a unit. */
export function LookChip({ look, children }: { readonly look: Look; readonly children: string }) {
  return (
    <span class={`chip look-${look}`}>
      <Shape look={look} />
      {children}
    </span>
  )
}

/** The status of a unit in words. */
export function lookWords(node: Shown & Pick<NodeView, 'ready'>): string {
  const look = lookOf(node)
  return look === 'stale' && node.ready ? 'stale, ready' : LOOK_WORDS[look]
}

/** The status of a unit, in a word and as a shape. */
export function StatusChip({ node }: { readonly node: Shown & Pick<NodeView, 'ready'> }) {
  return (
    <span class="chips">
      <LookChip look={lookOf(node)}>{lookWords(node)}</LookChip>
      {node.marks.includes('locked') && <span class="chip">locked</span>}
      {node.marks.includes('suspect') && <LookChip look="unknown">suspect</LookChip>}
    </span>
  )
}

/** Decoration: the word is always beside it. */
export function Shape({ look }: { readonly look: Look }) {
  return (
    <svg class={`shape look-${look}`} viewBox="0 0 12 12" width="11" height="11" aria-hidden="true">
      {SHAPES[look]}
    </svg>
  )
}

const ring = { cx: '6', cy: '6', r: '5.2', fill: 'none', stroke: 'currentColor', 'stroke-width': '1.4' }
const disc = <circle cx="6" cy="6" r="6" fill="currentColor" />

const SHAPES: Readonly<Record<Look, unknown>> = {
  ok: (
    <>
      {disc}
      <path class="tick" d="M3.4 6.2l1.8 1.8 3.4-3.8" fill="none" stroke-width="1.4" />
    </>
  ),
  stale: disc,
  wait: (
    <>
      <circle {...ring} />
      <path d="M6 6V1a5 5 0 0 1 5 5z" fill="currentColor" />
    </>
  ),
  fail: <path d="M2 2l8 8M10 2l-8 8" stroke="currentColor" stroke-width="2" />,
  missing: (
    <path d="M1 1h10v10h-10zM3.5 3.5l5 5M8.5 3.5l-5 5" fill="none" stroke="currentColor" stroke-width="1.4" />
  ),
  run: <path d="M6 1a5 5 0 1 1-5 5" fill="none" stroke="currentColor" stroke-width="1.8" />,
  drift: <path d="M1 4h10M1 8h10M8 1L4 11" stroke="currentColor" stroke-width="1.5" />,
  unknown: <circle {...ring} stroke-dasharray="2 2" />,
  never: <circle {...ring} />,
}
