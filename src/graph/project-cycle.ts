import { findPath, orderOf } from './cycles.ts'

/** A circle among units that use each other, as names that end with the first again; undefined when there is none. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const names = [...edges.keys()]
  const indexOf = new Map(names.map((name, index) => [name, index]))
  const ups = names.map((name) =>
    (edges.get(name) ?? []).flatMap((on) => {
      const index = indexOf.get(on)
      return index === undefined ? [] : [index]
    }),
  )
  const [group] = orderOf(ups).groups.values()
  const first = group?.toSorted((a, b) => a - b).map((index) => names[index])[0]
  return first === undefined ? undefined : findPath(first, first, (name) => edges.get(name) ?? [])
}

export function spellCycle(cycle: readonly string[]): string {
  return cycle.join(' → ')
}
