import type { GraphAnswer } from '../api/graph-answers.ts'
import type { Output } from './output.ts'
import { paintStatus, signOf } from './status-words.ts'
import { oneLine } from '../../../base/text/terminal-text.ts'

type Edge = GraphAnswer['edges'][number]

interface Place {
  readonly id: string
  readonly edge: Edge | undefined
  /** The text before the branch, and before everything below it. */
  readonly branch: string
  readonly indent: string
}

/**
 * The graph as trees, the way changes travel: under each unit those that use it. What hangs below a unit with several
 * parents is shown once; elsewhere the unit points there.
 */
export function* treeLines({ nodes, edges }: GraphAnswer, style: Output['style']): Generator<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const users = new Map<string, Edge[]>()
  const names = new Map<string, string>(nodes.map(({ id, name }) => [id, name]))
  const using = new Set<string>()
  for (const edge of edges) {
    if (!names.has(edge.to)) names.set(edge.to, edge.name)
    users.set(edge.to, [...(users.get(edge.to) ?? []), edge])
    using.add(edge.from)
  }
  for (const list of users.values()) list.sort((a, b) => compare(names.get(a.from), names.get(b.from)))
  const shown = new Set<string>()
  const ids = [...names.keys()].sort((a, b) => compare(names.get(a), names.get(b)))
  // Units of a cycle have no start: the first that is still missing becomes one.
  for (const id of [...ids.filter((one) => !using.has(one)), ...ids]) {
    if (!shown.has(id)) yield* treeFrom({ id, edge: undefined, branch: '', indent: '' })
  }

  function* treeFrom(root: Place): Generator<string> {
    const stack = [root]
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      const below = users.get(place.id) ?? []
      const isAgain = shown.has(place.id)
      yield lineOf(place, isAgain && below.length > 0)
      if (isAgain) continue
      shown.add(place.id)
      const { indent } = place
      const children = below.map((edge, i): Place => {
        const isLast = i === below.length - 1
        const branch = `${indent}${isLast ? '└── ' : '├── '}`
        return { id: edge.from, edge, branch, indent: `${indent}${isLast ? '    ' : '│   '}` }
      })
      stack.push(...children.reverse())
    }
  }

  function lineOf({ id, edge, branch }: Place, isAgain: boolean): string {
    const node = byId.get(id)
    const name = oneLine(names.get(id) ?? id)
    const said = node === undefined ? style('dim', 'gone') : paintStatus(node, style)
    const sign = signOf(node ?? { status: 'unknown' }, style)
    const parts = [`${style('dim', branch)}${sign} ${style('bold', name)}`, said, sayUse(edge)]
    return [...parts, isAgain ? style('dim', '(see above)') : ''].filter(Boolean).join('  ')
  }

  function sayUse(edge: Edge | undefined): string {
    if (edge === undefined) return ''
    if (edge.state === 'changed') return style('red', `${oneLine(edge.changed.join(', '))} changed`)
    return edge.outputs === null || edge.outputs.length === 0
      ? ''
      : style('dim', oneLine(edge.outputs.join(', ')))
  }
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0
}
