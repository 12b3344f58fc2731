import type { Dependency, UnitView } from '../../../state/index.ts'

/** The units that the caller may see, by id. Undefined: all. */
type Visible = { has(id: string): boolean } | undefined

/** A unit without the sections of other layers, and without what it uses of units that the caller may not see. */
export function visibleUnit({ sections: _, ...view }: UnitView, visible: Visible): UnitView {
  if (visible === undefined) return view
  return { ...view, dependencies: visibleEdges(view.dependencies, visible) }
}

export function visibleEdges<T extends Pick<Dependency, 'on'>>(
  edges: readonly T[],
  visible: NonNullable<Visible>,
): T[] {
  return edges.filter(({ on }) => visible.has(on))
}
