import type { GraphFacts, Read } from '../../state/index.ts'

/** "This unit uses that one": declared by a person, found in code, or seen in what was read. */
export interface Edge {
  /** Id of the unit used. */
  readonly on: string
  /** Its name when the edge was made; for reads, empty. */
  readonly name: string
  /** Null: all outputs. Empty: none, only the order counts. */
  readonly outputs: readonly string[] | null
  readonly source: EdgeSource
  /** What the last write was made from, of that unit. */
  readonly read: Read | undefined
  /** Which variable takes which output, where that is declared. */
  readonly inputs?: Readonly<Record<string, string>>
}

export type EdgeSource = GraphFacts['dependencies'][number]['source'] | 'reads'

/** One edge per unit used. Pure. */
export function edgesOf({ id, dependencies, reads }: GraphFacts): readonly Edge[] {
  const readOf = firstBy(reads ?? [], ({ from }) => from)
  const edges = merged(
    dependencies.map(({ on, name, outputs, source, inputs }): Edge => {
      const edge = { on, name, outputs, source, read: readOf(on) }
      return isEmpty(inputs) ? edge : { ...edge, inputs }
    }),
  )
  for (let i = 0; i < edges.length; i++) {
    const edge = edges[i]
    if (edge !== undefined) edges[i] = withUsed(edge)
  }
  const declared = firstBy(edges, ({ on }) => on)
  const found: Edge[] = []
  for (const read of reads ?? []) {
    if (read.from === id || declared(read.from) !== undefined || readOf(read.from) !== read) continue
    found.push({ on: read.from, name: '', outputs: read.names, source: 'reads', read })
  }
  return found.length === 0 ? edges : [...edges, ...found]
}

/** What is used counts, whatever outputs are named: what was read where only the order is, and what variables take. */
function withUsed(edge: Edge): Edge {
  const { read, inputs } = edge
  const outputs = edge.outputs?.length === 0 && read !== undefined ? read.names : edge.outputs
  if (outputs === null || inputs === undefined) return outputs === edge.outputs ? edge : { ...edge, outputs }
  return { ...edge, outputs: [...new Set([...outputs, ...Object.values(inputs)])] }
}

function isEmpty(inputs: Readonly<Record<string, string>>): boolean {
  // Most have none, and making a list of each for that would cost more than all the rest.
  for (const variable in inputs) if (Object.hasOwn(inputs, variable)) return false
  return true
}

function merged(edges: Edge[]): Edge[] {
  // Most have nothing to merge, and there are tens of thousands of them.
  const first = firstBy(edges, ({ on }) => on)
  if (edges.every((edge) => first(edge.on) === edge)) return edges
  const kept = new Map<string, Edge>()
  for (const edge of edges) {
    const known = kept.get(edge.on)
    const outputs = known === undefined ? null : narrowed(known.outputs, edge.outputs)
    const inputs = edge.inputs === undefined ? {} : { inputs: { ...known?.inputs, ...edge.inputs } }
    kept.set(edge.on, known === undefined ? edge : { ...known, outputs, ...inputs })
  }
  return [...kept.values()]
}

/** Naming outputs says more than not naming them; an empty list says nothing about outputs. */
function narrowed(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null) return b?.length === 0 ? null : b
  if (b === null) return a.length === 0 ? null : a
  return [...new Set([...a, ...b])]
}

/** Most units use a handful of others, for which an index costs more than it saves. */
const FEW = 12

function firstBy<T>(items: readonly T[], idOf: (item: T) => string): (id: string) => T | undefined {
  if (items.length <= FEW)
    return (id) => {
      for (const item of items) if (idOf(item) === id) return item
      return undefined
    }
  const index = new Map<string, T>()
  for (const item of items) if (!index.has(idOf(item))) index.set(idOf(item), item)
  return (id) => index.get(id)
}
