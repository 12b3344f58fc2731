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

export type EdgeSource = 'declared' | 'code' | 'reads'

/** One edge per unit used. Pure. */
export function edgesOf({ id, dependencies, reads }: GraphFacts): readonly Edge[] {
  const edges = merged(
    dependencies.map(({ on, name, outputs, source }): Edge => {
      return { on, name, outputs, source, read: readFrom(reads, on) }
    }),
  )
  for (let i = 0; i < edges.length; i++) {
    const edge = edges[i]
    // Only the order was declared, and yet it was read: what was used counts, whatever is declared.
    if (edge?.outputs?.length === 0 && edge.read !== undefined)
      edges[i] = { ...edge, outputs: edge.read.names }
  }
  for (const read of reads ?? []) {
    if (read.from === id || indexOf(edges, read.from) !== -1) continue
    edges.push({ on: read.from, name: '', outputs: read.names, source: 'reads', read })
  }
  return edges
}

function merged(edges: Edge[]): Edge[] {
  // Most have nothing to merge, and there are tens of thousands of them.
  if (edges.every(({ on }, i) => indexOf(edges, on) === i)) return edges
  const kept: Edge[] = []
  for (const edge of edges) {
    const at = indexOf(kept, edge.on)
    const known = kept[at]
    if (known === undefined) kept.push(edge)
    else kept[at] = { ...known, outputs: narrowed(known.outputs, edge.outputs) }
  }
  return kept
}

/** Whoever names outputs says more than who does not; who names none says nothing about outputs. */
function narrowed(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null) return b?.length === 0 ? null : b
  if (b === null) return a.length === 0 ? null : a
  return [...new Set([...a, ...b])]
}

function indexOf(edges: readonly Edge[], on: string): number {
  for (let i = 0; i < edges.length; i++) if (edges[i]?.on === on) return i
  return -1
}

function readFrom(reads: readonly Read[] | null, from: string): Read | undefined {
  for (const read of reads ?? []) if (read.from === from) return read
  return undefined
}
