import { among } from '../base/text/among.ts'
import { TacoError } from '../base/errors.ts'
import { nearest } from '../base/text/nearest.ts'
import { type Dependency, type UnitView, parseNewUnitName } from '../state/index.ts'
import { cycleError, findCycle } from '../graph/index.ts'
import type { ProjectDependency, ProjectUnit } from './project.ts'

export type SyncUnit = Pick<ProjectUnit, 'name' | 'labels' | 'dependencies'>

/** One line of the difference between the project and the units. */
export type SyncChange =
  | { readonly kind: 'unit'; readonly unit: string; readonly labels: Readonly<Record<string, string>> }
  | {
      readonly kind: 'label'
      readonly unit: string
      readonly label: string
      readonly before: string | null
      readonly after: string
    }
  | {
      readonly kind: 'dependency'
      readonly unit: string
      readonly on: string
      /** Null: there is no such edge. */
      readonly before: Uses | null
      readonly after: Uses | null
    }

export type Uses = Pick<ProjectDependency, 'outputs' | 'inputs'>

export interface SyncPlan {
  readonly changes: readonly SyncChange[]
  readonly warnings: readonly string[]
}

/**
 * What must change so that the units match the project. Only edges of source `code` belong to the project; declared
 * ones stay. Units that the project does not name are left alone. Pure.
 */
export function planSync(wanted: readonly SyncUnit[], current: readonly UnitView[]): SyncPlan {
  const byName = new Map(current.map((unit) => [unit.name, unit]))
  const nameOf = new Map(current.map(({ id, name }) => [id, name]))
  refuseUnknown(wanted, byName)
  refuseCycle(wanted, current, nameOf)
  return {
    changes: wanted.flatMap((unit) => changesOf(unit, byName.get(unit.name), byName, nameOf)),
    warnings: wanted.flatMap((unit) => strangeOutputs(unit, byName)),
  }
}

function changesOf(
  wanted: SyncUnit,
  unit: UnitView | undefined,
  byName: ReadonlyMap<string, UnitView>,
  nameOf: ReadonlyMap<string, string>,
): readonly SyncChange[] {
  const changes: SyncChange[] = []
  if (unit === undefined)
    changes.push({ kind: 'unit', unit: parseNewUnitName(wanted.name), labels: wanted.labels })
  for (const [label, after] of Object.entries(wanted.labels)) {
    const before = unit?.labels[label] ?? null
    if (unit !== undefined && before !== after)
      changes.push({ kind: 'label', unit: wanted.name, label, before, after })
  }
  const own = ownEdges(unit)
  const seen = new Set<string>()
  for (const { on, outputs, inputs } of wanted.dependencies) {
    const id = byName.get(on)?.id
    if (id !== undefined) seen.add(id)
    const known = id === undefined ? undefined : own.get(id)
    const before = known === undefined ? null : { outputs: known.outputs, inputs: known.inputs }
    const after = { outputs, inputs }
    if (before === null || !isSame(before, after))
      changes.push({ kind: 'dependency', unit: wanted.name, on, before, after })
  }
  for (const [id, { name, outputs, inputs }] of own) {
    if (seen.has(id)) continue
    changes.push({
      kind: 'dependency',
      unit: wanted.name,
      // An edge remembers the name as of when it was made.
      on: nameOf.get(id) ?? name,
      before: { outputs, inputs },
      after: null,
    })
  }
  return changes
}

function ownEdges(unit: UnitView | undefined): ReadonlyMap<string, Dependency> {
  return new Map(
    (unit?.dependencies ?? []).filter(({ source }) => source === 'code').map((edge) => [edge.on, edge]),
  )
}

/** In whatever order they are written. */
export function isSame(a: Uses, b: Uses): boolean {
  const spelled = ({ outputs, inputs }: Uses) =>
    JSON.stringify([
      outputs?.toSorted() ?? null,
      Object.entries(inputs).toSorted(([x], [y]) => (x < y ? -1 : 1)),
    ])
  return spelled(a) === spelled(b)
}

/** A unit that all others use may be the one that is missing: answers are for people, and have a size. */
const MOST_TOLD = 100
/** Comparing names takes a while, in which a server does nothing else. */
const MOST_GUESSED = 5

function refuseUnknown(wanted: readonly SyncUnit[], byName: ReadonlyMap<string, UnitView>): void {
  const known = new Set([...byName.keys(), ...wanted.map(({ name }) => name)])
  const lost = wanted.flatMap(({ name, dependencies }) =>
    dependencies
      .filter(({ on }) => !known.has(on))
      .map(({ on }) => ({ unit: name, on, detail: `${name} depends on ${on}, but there is no such unit.` })),
  )
  if (lost.length === 0) return
  const told = lost.slice(0, MOST_TOLD)
  const more = lost.length - told.length
  const rest = more > 0 ? [`There are ${more} more.`] : []
  const asked = [...new Set(told.map(({ on }) => on))].slice(0, MOST_GUESSED)
  const guesses = asked.flatMap((on) => nearest(on, known) ?? [])
  throw new TacoError('NOT_FOUND', [...told.map(({ detail }) => detail), ...rest].join(' '), {
    facts: { field: 'dependencies', errors: told, moreErrors: more },
    hint:
      guesses.length > 0
        ? `Did you mean ${[...new Set(guesses)].join(', ')}?`
        : 'List it among the units, or create it first with `taco unit create`.',
  })
}

function refuseCycle(
  wanted: readonly SyncUnit[],
  current: readonly UnitView[],
  nameOf: ReadonlyMap<string, string>,
): void {
  const inProject = new Set(wanted.map(({ name }) => name))
  const edges = new Map<string, readonly string[]>(
    current.map(({ name, dependencies }) => [
      name,
      dependencies
        .filter(({ source }) => source !== 'code' || !inProject.has(name))
        // One that was deleted may have had the name of another that is there now.
        .flatMap(({ on }) => nameOf.get(on) ?? []),
    ]),
  )
  for (const { name, dependencies } of wanted)
    edges.set(name, [...(edges.get(name) ?? []), ...dependencies.map(({ on }) => on)])
  const cycle = findCycle(edges)
  if (cycle !== undefined) throw cycleRefused(cycle)
}

export function cycleRefused(cycle: readonly string[]): TacoError {
  return cycleError('These units would depend on each other in a cycle', cycle, {
    field: 'dependencies',
    hint: 'Remove one of these dependencies. `taco dep ls` shows those declared by hand.',
  })
}

function strangeOutputs(
  { name, dependencies }: SyncUnit,
  byName: ReadonlyMap<string, UnitView>,
): readonly string[] {
  return dependencies.flatMap(({ on, outputs }) => {
    const known = byName.get(on)?.outputs?.map((output) => output.name)
    if (known === undefined || outputs === null) return []
    const isKnown = among(known)
    return outputs
      .filter((output) => !isKnown(output))
      .map((output) => {
        const guess = nearest(output, known)
        const advice = guess === undefined ? '' : ` Did you mean ${guess}?`
        return `${name} uses the output ${output} of ${on}, which does not exist.${advice}`
      })
  })
}
