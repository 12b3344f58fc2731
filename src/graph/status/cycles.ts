/**
 * Order and cycles of a graph of whole numbers; `ups[v]` are the units that v uses. Iterative: a chain of ten thousand
 * units must not overflow the stack.
 */
export interface Order {
  /** Place of each node: what it uses comes before it; members of one cycle share a place. */
  readonly place: Int32Array
  /** All nodes by their place. */
  readonly sequence: Int32Array
  /** The cycles by their place: groups of more than one node, or a node that uses itself. */
  readonly groups: ReadonlyMap<number, readonly number[]>
}

/** Tarjan's strongly connected components; they come out with what they use first. */
export function orderOf(ups: readonly (readonly number[])[]): Order {
  const count = ups.length
  const place = new Int32Array(count).fill(-1)
  const found = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const next = new Int32Array(count)
  const isOpen = new Uint8Array(count)
  const open: number[] = []
  const path: number[] = []
  const groups = new Map<number, readonly number[]>()
  const sequence = new Int32Array(count)
  let seen = 0
  let placed = 0
  let places = 0

  function enter(node: number): void {
    found[node] = low[node] = seen++
    isOpen[node] = 1
    open.push(node)
    path.push(node)
  }

  function leave(node: number): void {
    if (low[node] !== found[node]) return
    const members: number[] = []
    for (let member = -1; member !== node;) {
      member = open.pop() ?? node
      members.push(member)
      isOpen[member] = 0
      place[member] = places
      sequence[placed++] = member
    }
    if (members.length > 1 || ups[node]?.includes(node)) groups.set(places, members)
    places++
  }

  for (let root = 0; root < count; root++) {
    if (found[root] !== -1) continue
    enter(root)
    while (path.length > 0) {
      const node = path[path.length - 1] ?? 0
      const up = ups[node]?.[next[node] ?? 0]
      if (up === undefined) {
        path.pop()
        leave(node)
        const below = path[path.length - 1]
        if (below !== undefined) low[below] = Math.min(low[below] ?? 0, low[node] ?? 0)
        continue
      }
      next[node] = (next[node] ?? 0) + 1
      if (found[up] === -1) enter(up)
      else if (isOpen[up] === 1) low[node] = Math.min(low[node] ?? 0, found[up] ?? 0)
    }
  }
  return { place, sequence, groups }
}

type Edges = ReadonlyMap<string, readonly string[]>

/**
 * A cycle among units that use each other, as a list that ends with the first again; undefined if there is none. It
 * starts at the first unit of `through` that is part of one.
 */
export function findCycle(
  edges: Edges,
  through: Iterable<string> = edges.keys(),
): readonly string[] | undefined {
  const inCycle = new Set(groupsIn(edges).flat())
  for (const unit of through) if (inCycle.has(unit)) return cycleFrom(unit, edges)
  return undefined
}

/** One cycle of each group of units that all use each other. */
export function findCycles(edges: Edges): readonly (readonly string[])[] {
  return groupsIn(edges).flatMap(([first]) => {
    const cycle = first === undefined ? undefined : cycleFrom(first, edges)
    return cycle === undefined ? [] : [cycle]
  })
}

function cycleFrom(unit: string, edges: Edges): readonly string[] | undefined {
  return findPath(unit, unit, (one) => edges.get(one) ?? [])
}

/** Each group in the order of the keys. */
function groupsIn(edges: Edges): readonly (readonly string[])[] {
  const units = [...edges.keys()]
  const indexOf = new Map(units.map((unit, index) => [unit, index]))
  const ups = [...edges.values()].map((used) => used.flatMap((unit) => indexOf.get(unit) ?? []))
  return [...orderOf(ups).groups.values()].map((group) =>
    group.toSorted((a, b) => a - b).flatMap((index) => units[index] ?? []),
  )
}

/** The shortest way from one node to another along what each uses, both ends included; undefined if there is none. */
export function findPath<T>(from: T, to: T, usedBy: (node: T) => Iterable<T>): readonly T[] | undefined {
  const cameFrom = new Map<T, T>()
  const queue: T[] = [from]
  for (const node of queue) {
    for (const used of usedBy(node)) {
      if (used === to) return [...trail(node, cameFrom), to]
      if (used === from || cameFrom.has(used)) continue
      cameFrom.set(used, node)
      queue.push(used)
    }
  }
  return undefined
}

function trail<T>(end: T, cameFrom: ReadonlyMap<T, T>): T[] {
  const steps = [end]
  for (let at = cameFrom.get(end); at !== undefined; at = cameFrom.get(at)) steps.push(at)
  return steps.reverse()
}
