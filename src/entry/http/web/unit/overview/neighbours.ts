import type { DependenciesView, NodeView } from '../../../../../graph/index.ts'
import { LOOKS, type Look, lookOf, lookWords } from '../../shell/status.tsx'

/** A unit that the page's unit uses, or that uses it. */
export interface Neighbour {
  readonly id: string
  readonly name: string
  /** The outputs between them. Null: all. Empty: only the order. */
  readonly outputs: readonly string[] | null
  /** One of these outputs changed since it was read. */
  readonly isChanged: boolean
  readonly look: Look
  /** The status. */
  readonly words: string
}

export interface Neighbours {
  readonly uses: readonly Neighbour[]
  readonly usedBy: readonly Neighbour[]
}

/** Each unit once, those that want attention first. Pure. */
export function neighboursOf({ uses, usedBy }: DependenciesView, nodes: readonly NodeView[]): Neighbours {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const neighbour = (
    { id, name }: { readonly id: string; readonly name: string },
    outputs: readonly string[] | null,
    isChanged: boolean,
  ): Neighbour => {
    const node = byId.get(id)
    return node === undefined
      ? { id, name, outputs, isChanged, look: 'missing', words: 'does not exist' }
      : { id, name, outputs, isChanged, look: lookOf(node), words: lookWords(node) }
  }
  return {
    uses: inOrder(
      uses.map(({ on, outputs, state, changed }) =>
        neighbour(on, state === 'changed' ? changed : outputs, state === 'changed'),
      ),
    ),
    usedBy: inOrder(usedBy.map((user) => neighbour(user, user.outputs, user.state === 'changed'))),
  }
}

/** A unit can be declared, found in code and read. */
function inOrder(all: readonly Neighbour[]): readonly Neighbour[] {
  const byId = new Map<string, Neighbour>()
  for (const one of all) {
    const other = byId.get(one.id)
    byId.set(one.id, other === undefined ? one : together(other, one))
  }
  return [...byId.values()].toSorted(
    (a, b) =>
      Number(b.isChanged) - Number(a.isChanged) ||
      LOOKS.indexOf(a.look) - LOOKS.indexOf(b.look) ||
      a.name.localeCompare(b.name),
  )
}

function together(a: Neighbour, b: Neighbour): Neighbour {
  if (a.isChanged !== b.isChanged) return a.isChanged ? a : b
  const outputs = a.outputs === null || b.outputs === null ? null : [...new Set([...a.outputs, ...b.outputs])]
  return { ...a, outputs }
}

/** The folders that all of these names begin with, with the last slash. Pure. */
export function sharedFolder(names: readonly string[]): string {
  const [first = '', ...others] = names.map((name) => name.split('/').slice(0, -1))
  if (first === '') return ''
  const shared = first.filter(
    (part, at) =>
      first.slice(0, at + 1).every((one, i) => others.every((other) => other[i] === one)) && part !== '',
  )
  return shared.length === 0 ? '' : `${shared.join('/')}/`
}

/** The outputs in a few letters. Pure. */
export function outputLabel(outputs: readonly string[] | null, most: number): string {
  if (outputs === null) return 'all outputs'
  const [first, ...more] = outputs
  if (first === undefined) return 'order only'
  const rest = more.length === 0 ? '' : ` +${more.length}`
  const room = most - rest.length
  return (first.length > room ? `${first.slice(0, room - 1)}…` : first) + rest
}
