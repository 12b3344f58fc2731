import type { GraphEdgeView, NodeView } from '../views.ts'

export interface Palette {
  readonly fill: string
  readonly line: string
  readonly text: string
}

/** Text on fill has a contrast of at least 4.5 : 1; lines show on white and on black. */
export const palette: Readonly<Record<NodeView['status'], Palette>> = {
  'up-to-date': { fill: '#e3f4e6', line: '#3d9a50', text: '#123d1c' },
  stale: { fill: '#ffe3d1', line: '#d9601a', text: '#5a2204' },
  waiting: { fill: '#fff5cc', line: '#b98a00', text: '#4a3800' },
  unknown: { fill: '#ececf1', line: '#82828c', text: '#2e2e36' },
  'state-missing': { fill: '#fbd5d8', line: '#c4202f', text: '#5c0610' },
  'never-applied': { fill: '#ffffff', line: '#6a7fb5', text: '#2a3a66' },
}

const MOST_OUTPUTS = 3

export function statusLine({ status, ready, marks }: NodeView): string {
  return [status.replaceAll('-', ' ') + (ready ? ', ready' : ''), ...marks].join(' · ')
}

/** The outputs that are used; those that changed, if any did. */
export function labelOf({ outputs, changed, state }: GraphEdgeView): string {
  const names = state === 'changed' ? changed : (outputs ?? [])
  const more = names.length - MOST_OUTPUTS
  return [...names.slice(0, MOST_OUTPUTS), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
