import { createHash } from 'node:crypto'
import { type NodeView, visibleGraph } from '../../../../graph/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { WebServices } from '../services.ts'
import { type Look, lookOf, lookWords } from '../shell/status.tsx'

type Nodes = readonly NodeView[]

/** With more changes than this, the page is fetched anew. */
const MOST_CHANGES = 2_000

/** The service gives the same list while nothing changed. */
const prints = new WeakMap<Nodes, string>()

/** Names what a map shows: the same for the same units with the same looks. */
export function lookPrint(nodes: Nodes): string {
  let print = prints.get(nodes)
  if (print === undefined) {
    const text = nodes.map((node) => `${node.name} ${lookOf(node)}`).join('\n')
    print = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    prints.set(nodes, print)
  }
  return print
}

/** What changed on a map since the last call, as lines of a stream. `shown`: the print of what the page shows. */
export function createLookChanges(
  { graph, control, access }: Pick<WebServices, 'graph' | 'control' | 'access'>,
  { org, x }: { readonly org: string; readonly x: Pick<Exchange, 'caller'> },
  shown: string,
): () => Promise<string> {
  let last: Nodes | undefined
  return async () => {
    const { caller } = x
    // Events are another right than status, and rights change while a page is open.
    const { allowed } = await access.decide(caller.principal, 'graph:read', { org }, { isFiltered: true })
    if (!allowed) return ''
    const whole = await graph.view({ org }, caller)
    const visible = await control.units.visible(org, caller)
    const { nodes } = visible === undefined ? whole : visibleGraph(whole, visible)
    const before = last
    last = nodes
    if (before === nodes) return ''
    if (before === undefined) return lookPrint(nodes) === shown ? '' : message('reload', {})
    const changes = changesBetween(before, nodes)
    if (changes === undefined) return message('reload', {})
    return changes.length === 0 ? '' : message('looks', { units: changes })
  }
}

type Change = readonly [name: string, look: Look, words: string]

/** Undefined: units came or went, or too many changed. Pure. */
export function changesBetween(before: Nodes, after: Nodes): readonly Change[] | undefined {
  if (before.length !== after.length) return undefined
  const known = new Map(before.map((node) => [node.name, lookOf(node)]))
  const changes: Change[] = []
  for (const node of after) {
    const look = lookOf(node)
    const earlier = known.get(node.name)
    if (earlier === undefined) return undefined
    if (earlier !== look) changes.push([node.name, look, lookWords(node)])
  }
  return changes.length > MOST_CHANGES ? undefined : changes
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
