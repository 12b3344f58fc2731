import { findPath, orderOf } from '../graph/index.ts'

type Edges = ReadonlyMap<string, readonly string[]>

/** A cycle among units that use each other, as names that end with the first again; undefined when there is none. */
export function findCycle(edges: Edges): readonly string[] | undefined {
  return findCycles(edges)[0]
}

/** One circle of each group of units that all use each other. */
export function findCycles(edges: Edges): readonly (readonly string[])[] {
  const names = [...edges.keys()]
  const indexOf = new Map(names.map((name, index) => [name, index]))
  const ups = names.map((name) =>
    (edges.get(name) ?? []).flatMap((on) => {
      const index = indexOf.get(on)
      return index === undefined ? [] : [index]
    }),
  )
  return [...orderOf(ups).groups.values()].flatMap((group) => {
    const first = group.toSorted((a, b) => a - b).map((index) => names[index])[0]
    const cycle = first === undefined ? undefined : findPath(first, first, (name) => edges.get(name) ?? [])
    return cycle === undefined ? [] : [cycle]
  })
}

export function spellCycle(cycle: readonly string[]): string {
  return cycle.join(' → ')
}
