import { TacoError } from '../../base/errors.ts'
import type { GraphFacts } from '../../state/index.ts'
import { cycleError, edgesOf, findCycle } from '../../graph/index.ts'

export interface WalkStep {
  readonly unit: { readonly id: string; readonly name: string }
  /** Ids of units of the same walk. */
  readonly needs: readonly string[]
  readonly isRoot: boolean
}

const usedBy = (unit: GraphFacts) => edgesOf(unit).map(({ on }) => on)

/**
 * The roots and everything downstream of them, each after what it needs; ties go by name, so that two people see the
 * same order.
 */
export function walkFrom(units: readonly GraphFacts[], roots: readonly string[]): readonly WalkStep[] {
  const byId = new Map(units.map((unit) => [unit.id, unit]))
  const users = new Map<string, GraphFacts[]>()
  for (const unit of units) {
    for (const id of usedBy(unit)) {
      const known = users.get(id)
      if (known === undefined) users.set(id, [unit])
      else known.push(unit)
    }
  }

  const inside = new Map<string, GraphFacts>()
  const queue = roots.flatMap((id) => byId.get(id) ?? [])
  for (const unit of queue) {
    if (inside.has(unit.id)) continue
    inside.set(unit.id, unit)
    for (const user of users.get(unit.id) ?? []) queue.push(user)
  }
  return inOrder(inside, users, new Set(roots))
}

function inOrder(
  inside: ReadonlyMap<string, GraphFacts>,
  users: ReadonlyMap<string, readonly GraphFacts[]>,
  roots: ReadonlySet<string>,
): readonly WalkStep[] {
  const needs = new Map(
    [...inside.values()].map((unit) => [unit.id, usedBy(unit).filter((id) => inside.has(id))]),
  )
  const missing = new Map([...needs].map(([id, ids]) => [id, ids.length]))
  const steps: WalkStep[] = []
  let level = [...inside.values()].filter(({ id }) => missing.get(id) === 0)
  while (level.length > 0) {
    const next: GraphFacts[] = []
    for (const unit of level.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      steps.push({
        unit: { id: unit.id, name: unit.name },
        needs: needs.get(unit.id) ?? [],
        isRoot: roots.has(unit.id),
      })
      for (const user of users.get(unit.id) ?? []) {
        const left = (missing.get(user.id) ?? 0) - 1
        missing.set(user.id, left)
        if (left === 0 && inside.has(user.id)) next.push(user)
      }
    }
    level = next
  }
  if (steps.length < inside.size) throw cycleAmong(inside, needs)
  return steps
}

function cycleAmong(
  inside: ReadonlyMap<string, GraphFacts>,
  needs: ReadonlyMap<string, readonly string[]>,
): TacoError {
  const names = (findCycle(needs) ?? []).map((id) => inside.get(id)?.name ?? id)
  return cycleError('These units use each other in a cycle', names, {
    hint: 'Remove one of the edges with `taco dep rm`, or apply one of the units without what it reads.',
  })
}

/** Ids of the units that a rollout starts from, given by names or ids. */
export function rootsNamed(units: readonly GraphFacts[], names: readonly string[]): readonly string[] {
  const ids = new Map(units.flatMap(({ id, name }) => [[name, id] as const, [id, id] as const]))
  return names.map((name) => {
    const id = ids.get(name)
    if (id !== undefined) return id
    throw new TacoError('NOT_FOUND', `There is no unit ${name}.`, {
      facts: { field: 'unit', unit: name },
      hint: 'See `taco unit ls`.',
    })
  })
}
