import { among } from '../../base/text/among.ts'
import { isoTime } from '../../base/clock.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import type { Caller, Dependency, StateControl, UnitRef, UnitView } from '../../state/index.ts'
import { findPath } from '../status/cycles.ts'
import { cycleError } from './cycle-error.ts'
import { addedTo, takenFrom } from './edit-declared.ts'
import type { GoneNames } from '../status/gone-names.ts'
import { type Edge, edgesOf } from '../status/edges.ts'
import type { LiveGraph, GraphNode } from '../status/live-graph.ts'
import { groupedBy } from '../../base/group-by.ts'
import { unknownOutput, unknownUnit } from './unknown-name.ts'
import type { Dependencies, DependencyInput } from '../services.ts'
import type { DependenciesView, DependencyChange, DependencyView, UserView } from '../views.ts'

/** Declares what units use of each other, and refuses what could never become up to date. */
export function createDependencies(
  control: Pick<StateControl, 'graph' | 'units'>,
  current: (org: string) => Promise<{ readonly live: LiveGraph }>,
  goneNames: GoneNames,
): Dependencies {
  async function find(ref: UnitRef, field: string, caller: Caller): Promise<UnitView> {
    const unit = await control.units.get(ref, caller).catch((error: unknown) => {
      if (!isTacoError(error, 'NOT_FOUND')) throw error
    })
    if (unit !== undefined && unit.deleted === null) return unit
    const { units } = await control.graph.units(ref.org, { damaged: 'left out' }, caller)
    const names = units.map((one) => one.facts().name)
    throw unknownUnit(unit?.name ?? ref.unit, names, field)
  }

  async function list({ org, unit }: UnitRef, caller: Caller): Promise<DependenciesView> {
    const { id, name, dependencies } = await find({ org, unit }, 'unit', caller)
    const { live } = await current(org)
    const node = live.node(id)
    const declared = groupedBy(dependencies, ({ on }) => on)
    const edges = node?.edges ?? []
    const isNameless = ({ on, name: known }: Edge) => known === '' && live.node(on) === undefined
    const gone = await goneNames(
      org,
      edges.filter(isNameless).map(({ on }) => on),
    )
    const uses = edges.map((edge, i) => viewOf(edge, i, { live, node, declared, gone }))
    return { unit: { id, name }, uses, usedBy: usersIn(live, id) }
  }

  async function add(ref: UnitRef, input: DependencyInput, caller: Caller): Promise<DependencyChange> {
    const [unit, on] = await Promise.all([
      find(ref, 'unit', caller),
      find({ org: ref.org, unit: input.on }, 'on', caller),
    ])
    if (unit.id === on.id) throw cycleRefused([unit.name, unit.name])
    const warnings = checkOutputs(on, input)
    const cycle = await closedCycle(ref.org, unit, on, false, caller)
    if (cycle !== undefined) throw cycleRefused(cycle)
    const exact = { org: ref.org, unit: unit.id }
    let before: readonly Dependency[] = []
    await control.graph.changeDependencies(
      exact,
      (declared) => {
        before = declared.filter((dependency) => dependency.on === on.id)
        const added = addedTo(declared, { id: on.id, name: on.name }, input)
        warnings.push(...added.warnings)
        return added.dependencies
      },
      caller,
    )
    // The opposite edge may have been declared at the same moment: the caller that sees both takes its own back.
    const closed = await closedCycle(ref.org, unit, on, true, caller)
    if (closed !== undefined) {
      const others = (declared: readonly Dependency[]) => declared.filter((one) => one.on !== on.id)
      await control.graph.changeDependencies(exact, (declared) => [...others(declared), ...before], caller)
      throw cycleRefused(closed)
    }
    return { ...(await list(exact, caller)), warnings: [...new Set(warnings)] }
  }

  /** Adding "unit uses on" closes a cycle if a way leads from `on` to the unit already. */
  async function closedCycle(
    org: string,
    unit: UnitView,
    on: UnitView,
    fresh: boolean,
    caller: Caller,
  ): Promise<readonly string[] | undefined> {
    const { units } = await control.graph.units(org, { fresh }, caller)
    const byId = new Map(units.map((one) => [one.id, one]))
    const usedBy = (id: string) => {
      const facts = byId.get(id)?.facts()
      return facts === undefined ? [] : edgesOf(facts).map((edge) => edge.on)
    }
    const back = findPath(on.id, unit.id, usedBy)
    return back && [unit.id, ...back].map((id) => byId.get(id)?.facts().name ?? id)
  }

  async function remove(
    ref: UnitRef,
    input: { readonly on: string; readonly outputs?: readonly string[] },
    caller: Caller,
  ): Promise<DependencyChange> {
    const unit = await find(ref, 'unit', caller)
    if (await control.units.isRepeated({ org: ref.org, unit: unit.id }, caller))
      return { ...(await list({ org: ref.org, unit: unit.id }, caller)), warnings: [] }
    const names = await namesOf(ref.org, unit.dependencies)
    const target = unit.dependencies.find(({ on }) => on === input.on || names.get(on) === input.on)
    if (target === undefined) throw await noEdge(ref.org, unit, input.on, [...names.values()])
    await control.graph.changeDependencies(
      { org: ref.org, unit: unit.id },
      (declared) => takenFrom(declared, { id: target.on, name: input.on }, input.outputs),
      caller,
    )
    const left = await list({ org: ref.org, unit: unit.id }, caller)
    const isSeen = left.uses.some(({ on, source }) => on.id === target.on && source === 'reads')
    const seen = `the last apply of ${unit.name} read from ${input.on}, so it counts as used until an apply does not`
    return { ...left, warnings: isSeen ? [seen] : [] }
  }

  /** Names as they are now; of units that are gone, as they were. */
  async function namesOf(org: string, declared: readonly Dependency[]): Promise<Map<string, string>> {
    const { live } = await current(org)
    return new Map(declared.map(({ on, name }) => [on, live.node(on)?.facts.name ?? name]))
  }

  async function noEdge(
    org: string,
    unit: UnitView,
    on: string,
    names: readonly string[],
  ): Promise<TacoError> {
    const { live } = await current(org)
    const read = live
      .node(unit.id)
      ?.edges.find(
        (edge) => edge.source === 'reads' && [edge.on, live.node(edge.on)?.facts.name].includes(on),
      )
    const { hint, facts } = unknownUnit(on, names, 'on')
    const guess = facts['nearest'] === undefined ? undefined : hint
    return new TacoError('NOT_FOUND', `${unit.name} declares no dependency on ${on}.`, {
      facts,
      hint:
        read === undefined
          ? (guess ?? `See \`taco dep ls ${unit.name}\`.`)
          : 'The edge comes from what the last apply read. It disappears when an apply no longer reads it.',
    })
  }

  return {
    list,
    add,
    remove,
    async usersOf(ref, caller) {
      const { id } = await control.units.get(ref, caller)
      return usersIn((await current(ref.org)).live, id)
    },
  }
}

/** A name that the unit cannot have is refused; one that it may get with its first apply is let through with a word. */
function checkOutputs(on: UnitView, { outputs = [], inputs = {} }: DependencyInput): string[] {
  const wanted = [...new Set([...outputs, ...Object.values(inputs)])]
  if (wanted.length === 0) return []
  if (on.state === null)
    return [`${on.name} has no state yet, so it is unknown whether it will have ${wanted.join(', ')}`]
  if (on.outputs === null)
    return [`the outputs of ${on.name} are encrypted, so it is unknown whether it has ${wanted.join(', ')}`]
  const known = on.outputs.map(({ name }) => name)
  const isKnown = among(known)
  const missing = wanted.find((name) => !isKnown(name))
  if (missing !== undefined) throw unknownOutput(on.name, missing, known)
  return []
}

function cycleRefused(cycle: readonly string[]): TacoError {
  const [first, second] = cycle
  return cycleError('This would create a cycle', cycle, {
    field: 'on',
    hint:
      first === second
        ? 'A unit cannot use its own outputs.'
        : `Remove one of these edges first. \`taco dep ls ${second}\` lists them.`,
  })
}

function viewOf(
  { on, name, outputs, source, read }: Edge,
  i: number,
  from: {
    live: LiveGraph
    node: GraphNode | undefined
    declared: ReadonlyMap<string, readonly Dependency[]>
    gone: ReadonlyMap<string, string>
  },
): DependencyView {
  const comparison = from.node?.comparisons[i]
  const declared = from.declared.get(on) ?? []
  return {
    on: { id: on, name: from.live.node(on)?.facts.name ?? (name || (from.gone.get(on) ?? on)) },
    outputs: outputs === null ? null : [...outputs],
    source,
    inputs: Object.assign({}, ...declared.map(({ inputs }) => inputs)),
    state: comparison?.state ?? 'unknown',
    changed: comparison?.changes.map(({ output }) => output) ?? [],
    read: read === undefined ? null : { commit: read.commit, at: isoTime(read.at) },
  }
}

function usersIn(live: LiveGraph, id: string): UserView[] {
  return live.users(id).flatMap(({ facts, edges, comparisons }) =>
    edges.flatMap(({ on, outputs, source }, i) => {
      if (on !== id) return []
      const state = comparisons[i]?.state ?? 'unknown'
      return [
        { id: facts.id, name: facts.name, outputs: outputs === null ? null : [...outputs], source, state },
      ]
    }),
  )
}
