import type { DependenciesView } from '../../../../../graph/index.ts'

/** A dependency of the unit, or one on it. */
export interface Edge {
  readonly direction: 'uses' | 'used by'
  readonly id: string
  readonly name: string
  readonly outputs: readonly string[] | null
  readonly source: string
  readonly state: string
  readonly changed: readonly string[]
  readonly inputs: Readonly<Record<string, string>>
  readonly commit: number | null
}

export function edgesIn({ uses, usedBy }: DependenciesView): readonly Edge[] {
  return [
    ...uses.map(({ on, outputs, source, state, changed, inputs, read }) => ({
      direction: 'uses' as const,
      ...on,
      outputs,
      source,
      state,
      changed,
      inputs,
      commit: read?.commit ?? null,
    })),
    ...usedBy.map(({ id, name, outputs, source, state }) => ({
      direction: 'used by' as const,
      id,
      name,
      outputs,
      source,
      state,
      changed: [],
      inputs: {},
      commit: null,
    })),
  ]
}

/** By the name of the other unit or of an output. Pure. */
export function matchingEdges(edges: readonly Edge[], search: string): readonly Edge[] {
  const wanted = search.trim().toLowerCase()
  return edges.filter(({ name, outputs }) =>
    [name, ...(outputs ?? [])].some((text) => text.toLowerCase().includes(wanted)),
  )
}
