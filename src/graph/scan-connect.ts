import { groupedBy } from './grouped.ts'
import { findCycle } from './project-cycle.ts'
import type { ProjectDependency } from './project.ts'
import type { Place } from './scan-backend.ts'
import type { Use } from './scan-code.ts'

export interface ScannedUnit {
  readonly name: string
  readonly dir: string
  /** Where its state lies, for people. */
  readonly backend: string
  readonly dependencies: readonly (ProjectDependency & {
    /** What in the code says so. */
    readonly via: readonly string[]
  })[]
}

/** What the units use of each other, and what could not be found. */
export interface Connections {
  readonly units: readonly ScannedUnit[]
  /** Uses of states that could not be found. */
  readonly unresolved: readonly { readonly dir: string; readonly uses: string; readonly reason: string }[]
  /** Units that use each other in a circle; null: none do. No order could be found to apply them in. */
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
  const byPlace = new Map(
    roots.map((root) => [
      root.place === undefined
        ? `local:${root.dir === '.' ? '' : `${root.dir}/`}terraform.tfstate`
        : root.place.identity,
      root,
    ]),
  )
  const byLoose = groupedBy(roots, ({ place }) => place?.loose)
  const byDir = new Map(roots.map((root) => [root.dir, root]))
  const unresolved: { dir: string; uses: string; reason: string }[] = []

  function target({ dirs = [], place }: Use): string | undefined {
    const folder = dirs.map((dir) => byDir.get(dir)).find((root) => root !== undefined)
    const other = folder ?? (place?.identity === undefined ? undefined : byPlace.get(place.identity))
    if (other !== undefined) return nameOf(other)
    // One of both does not say in which bucket it is: the key alone tells, if it tells one.
    const alike = (place?.loose === undefined ? undefined : byLoose.get(place.loose))?.filter(
      (root) => root.place?.identity === undefined || place?.identity === undefined,
    )
    if (alike?.length === 1 && alike[0] !== undefined) return nameOf(alike[0])
    // A unit of ours need not lie in this repository.
    return place?.kind === 'opentaco' ? place.unit : undefined
  }

  const units = roots.map((root) => {
    const edges = new Map<string, ScannedUnit['dependencies'][number]>()
    for (const use of root.uses) {
      const on = target(use)
      if (on === undefined) {
        const reason =
          use.lost ??
          (use.dirs === undefined
            ? `no folder here keeps its state at: ${use.place?.says ?? '?'}`
            : `${use.dirs[0] ?? ''} has no root module`)
        unresolved.push({ dir: root.dir, uses: use.as, reason })
      } else if (on !== nameOf(root)) edges.set(on, merged(edges.get(on), use, on))
    }
    const backend = root.place?.says ?? 'local'
    return { name: nameOf(root), dir: root.dir, backend, dependencies: [...edges.values()] }
  })
  const edges = new Map(units.map(({ name, dependencies }) => [name, dependencies.map(({ on }) => on)]))
  return { units, unresolved, cycle: findCycle(edges) ?? null }
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
