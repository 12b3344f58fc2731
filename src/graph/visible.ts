import type { DependenciesView, GraphView, Reason, StatusView } from './views.ts'

/** Ids of the units that the caller may see. */
interface Visible {
  has(id: string): boolean
}

/** Only units that the caller may see, and only what is between two of them. */
export function visibleGraph(view: GraphView, visible: Visible): GraphView {
  return {
    ...view,
    nodes: view.nodes.filter(({ id }) => visible.has(id)),
    edges: view.edges.filter(({ from, to }) => visible.has(from) && visible.has(to)),
  }
}

/** A status stays what it is, also if its reason is a unit that the caller may not see: then the reason names none. */
export function visibleStatus(view: StatusView, visible: Visible): StatusView {
  const items = view.items
    .filter(({ id }) => visible.has(id))
    .map((item) => ({ ...item, reasons: item.reasons.map((reason) => visibleReason(reason, visible)) }))
  const counts = { ...view.counts }
  for (const word of Object.keys(counts) as (keyof typeof counts)[])
    counts[word] = items.filter(({ status }) => status === word).length
  return { ...view, counts, items }
}

function visibleReason(reason: Reason, visible: Visible): Reason {
  // A cycle is spelled out in words, with every unit of it.
  const isNamed = reason.on !== null && !visible.has(reason.on.id)
  if (!isNamed && reason.kind !== 'cycle') return reason
  return {
    ...reason,
    on: null,
    output: null,
    read: null,
    changed: null,
    says: reason.kind === 'cycle' ? 'It is part of a cycle.' : 'A unit that you cannot see is the reason.',
  }
}

export function visibleDependencies<T extends DependenciesView>(view: T, visible: Visible): T {
  return {
    ...view,
    uses: view.uses.filter(({ on }) => visible.has(on.id)),
    usedBy: view.usedBy.filter(({ id }) => visible.has(id)),
  }
}
