import type { GraphFacts, Read } from '../state/index.ts'

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
}

export type EdgeSource = GraphFacts['dependencies'][number]['source'] | 'reads'

/** One edge per unit used. Pure. */
export function edgesOf({ id, dependencies, reads }: GraphFacts): readonly Edge[] {
  const readOf = firstBy(reads ?? [], ({ from }) => from)
  const edges = merged(
    dependencies.map(({ on, name, outputs, source }): Edge => {
      return { on, name, outputs, source, read: readOf(on) }
    }),
  )
  for (let i = 0; i < edges.length; i++) {
    const edge = edges[i]
    // Only the order was declared, and yet it was read: what was used counts, whatever is declared.
    if (edge?.outputs?.length === 0 && edge.read !== undefined)
      edges[i] = { ...edge, outputs: edge.read.names }
  }
  const declared = firstBy(edges, ({ on }) => on)
  const found: Edge[] = []
  for (const read of reads ?? []) {
    if (read.from === id || declared(read.from) !== undefined || readOf(read.from) !== read) continue
    found.push({ on: read.from, name: '', outputs: read.names, source: 'reads', read })
  }
  return found.length === 0 ? edges : [...edges, ...found]
}

function merged(edges: Edge[]): Edge[] {
  // Most have nothing to merge, and there are tens of thousands of them.
  const first = firstBy(edges, ({ on }) => on)
  if (edges.every((edge) => first(edge.on) === edge)) return edges
  const kept = new Map<string, Edge>()
  for (const edge of edges) {
    const known = kept.get(edge.on)
    kept.set(
      edge.on,
      known === undefined ? edge : { ...known, outputs: narrowed(known.outputs, edge.outputs) },
    )
  }
  return [...kept.values()]
}

/** Whoever names outputs says more than who does not; who names none says nothing about outputs. */
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
