import { groupedBy } from '../base/group-by.ts'
import { findCycle } from '../graph/index.ts'
import type { ProjectDependency } from '../project/index.ts'
import { type Place, placeOf } from './backend.ts'
import type { Use } from './code.ts'

export interface ScannedUnit {
  readonly name: string
  readonly dir: string
  /** Where its state is stored, for people. */
  readonly backend: string
  readonly dependencies: readonly (ProjectDependency & {
    /** The code that says so. */
    readonly via: readonly string[]
  })[]
}

/** What the units use of each other, and what could not be found. */
export interface Connections {
  readonly units: readonly ScannedUnit[]
  /** Uses of states that could not be found. */
  readonly unresolved: readonly { readonly dir: string; readonly uses: string; readonly reason: string }[]
  /** Units that use each other in a cycle; null: none do. No order could be found to apply them in. */
  readonly cycle: readonly string[] | null
}

/** A folder that keeps a state. */
export interface Root {
  readonly dir: string
  readonly place: Place | undefined
  readonly uses: readonly Use[]
}

/** `names`: what the units are called, by folder. */
export function connect(roots: readonly Root[], names: ReadonlyMap<string, string>): Connections {
  const nameOf = (root: Root) => names.get(root.dir) ?? root.dir
  const byPlace = groupedBy(roots, ({ dir, place }) => (place ?? placeOf('local', {}, { dir })).identity)
  const byLoose = groupedBy(roots, ({ place }) => place?.loose)
  const byDir = new Map(roots.map((root) => [root.dir, root]))
  const byName = new Map(roots.map((root) => [nameOf(root), root]))
  const unresolved: { dir: string; uses: string; reason: string }[] = []

  /** Whose states it may be: one, if all is well. */
  function candidates({ dirs = [], place }: Use): readonly Root[] {
    const folder = dirs.map((dir) => byDir.get(dir)).find((root) => root !== undefined)
    if (folder !== undefined) return [folder]
    const same = place?.identity === undefined ? undefined : byPlace.get(place.identity)
    if (same !== undefined) return same
    // One of the two does not name its bucket: the key alone decides, if it is unambiguous.
    const alike = place?.loose === undefined ? undefined : byLoose.get(place.loose)
    return alike?.filter((root) => root.place?.identity === undefined || place?.identity === undefined) ?? []
  }

  /** A dependency may live in another repository, but never in another organization, even under the same name. */
  function ours({ place }: Root, { place: used }: Use): string | undefined {
    if (used?.org === undefined || used.unit === undefined) return undefined
    const orgs = [place?.org, byName.get(used.unit)?.place?.org]
    return orgs.every((org) => org === undefined || org === used.org) ? used.unit : undefined
  }

  const units = roots.map((root) => {
    const edges = new Map<string, ScannedUnit['dependencies'][number]>()
    for (const use of root.uses) {
      const found = candidates(use)
      const [only] = found.length === 1 ? found : []
      const on = only === undefined ? ours(root, use) : nameOf(only)
      if (on === undefined) {
        unresolved.push({ dir: root.dir, uses: use.as, reason: reasonOf(use, found) })
      } else if (on !== nameOf(root)) edges.set(on, merged(edges.get(on), use, on))
    }
    const backend = root.place?.says ?? 'local'
    return { name: nameOf(root), dir: root.dir, backend, dependencies: [...edges.values()] }
  })
  const edges = new Map(units.map(({ name, dependencies }) => [name, dependencies.map(({ on }) => on)]))
  return { units, unresolved, cycle: findCycle(edges) ?? null }
}

function reasonOf({ lost, dirs, place }: Use, found: readonly Root[]): string {
  if (lost !== undefined) return lost
  if (dirs !== undefined) return `${dirs[0] ?? ''} has no root module`
  const where = place?.says ?? '?'
  if (place?.org !== undefined) return `${where} is a unit of another organization, ${place.org}`
  return found.length === 0
    ? `no folder here keeps its state at: ${where}`
    : `several folders may keep their states at ${where}: ${found.map(({ dir }) => dir).join(', ')}`
}

function merged(
  known: ScannedUnit['dependencies'][number] | undefined,
  use: Use,
  on: string,
): ScannedUnit['dependencies'][number] {
  const outputs =
    known === undefined
      ? use.outputs
      : known.outputs === null || use.outputs === null
        ? null
        : [...new Set([...known.outputs, ...use.outputs])]
  return {
    on,
    outputs,
    inputs: { ...known?.inputs, ...use.inputs },
    via: [...new Set([...(known?.via ?? []), use.as])],
  }
}
