import { isTacoError } from '../base/errors.ts'
import { forEachLimit } from '../base/for-each-limit.ts'
import type { Caller, Dependency, StateControl, UnitView } from '../state/index.ts'
import { findCycle } from '../graph/index.ts'
import { groupedBy } from '../base/group-by.ts'
import { type SyncPlan, type SyncUnit, cycleRefused, isSame, planSync } from './sync-plan.ts'

export interface Sync {
  /** Makes the units match a project; with `dryRun`, only reports what would change. Repeating it changes nothing. */
  sync(
    org: string,
    units: readonly SyncUnit[],
    options: { dryRun: boolean },
    caller: Caller,
  ): Promise<SyncPlan>
}

/** What the project's edges of a unit were, and what this sync made of them. */
interface Declared {
  readonly before: readonly Dependency[]
  readonly after: readonly Dependency[]
}

const AT_ONCE = 8

export function createSync(control: Pick<StateControl, 'units' | 'graph'>): Sync {
  return {
    async sync(org, units, { dryRun }, caller) {
      const visible = await control.units.visible(org, caller)
      const isHidden = (id: string) => visible !== undefined && !visible.has(id)
      const { current, plan } = await planned(org, units, isHidden, caller)
      if (dryRun || plan.changes.length === 0) return plan
      const idOf = new Map(current.map(({ name, id }) => [name, id]))
      const touched = new Set(plan.changes.map(({ unit }) => unit))
      // All units first: an edge needs both its ends.
      await forEachLimit(units, AT_ONCE, async (unit) => {
        if (touched.has(unit.name)) idOf.set(unit.name, await ensureUnit(org, unit, caller))
      })
      const linked = new Set(plan.changes.filter(({ kind }) => kind === 'dependency').map(({ unit }) => unit))
      const declared = new Map<string, Declared>()
      await forEachLimit(units, AT_ONCE, async (unit) => {
        if (linked.has(unit.name)) await declare(org, unit, { idOf, declared, isHidden }, caller)
      })
      await refuseCycle(org, declared, isHidden, caller)
      return plan
    },
  }

  /** An unreadable unit would be planned as new, or reported as missing. */
  async function planned(
    org: string,
    units: readonly SyncUnit[],
    isHidden: (id: string) => boolean,
    caller: Caller,
  ) {
    const { current: all, damaged } = await everyUnit(org, caller)
    // An edge to a unit that the caller may not see is neither shown nor removed.
    const current = all.map((unit) => ({
      ...unit,
      dependencies: unit.dependencies.filter(({ on }) => !isHidden(on)),
    }))
    try {
      const plan = planSync(units, current)
      if (damaged && plan.changes.some(({ kind }) => kind !== 'label'))
        await control.graph.units(org, {}, caller)
      return { current, plan }
    } catch (error) {
      if (damaged) await control.graph.units(org, {}, caller)
      throw error
    }
  }

  async function everyUnit(
    org: string,
    caller: Caller,
  ): Promise<{ current: readonly UnitView[]; damaged: boolean }> {
    const current: UnitView[] = []
    let damaged = false
    let cursor: string | undefined
    do {
      const page = await control.units.list(
        { org, limit: 1000, ...(cursor === undefined ? {} : { cursor }) },
        caller,
      )
      current.push(...page.items)
      damaged ||= page.damaged > 0
      cursor = page.next
    } while (cursor !== undefined)
    return { current, damaged }
  }

  async function ensureUnit(org: string, { name, labels }: SyncUnit, caller: Caller): Promise<string> {
    try {
      return (await control.units.create({ org, name, labels, takeOver: false }, caller)).id
    } catch (error) {
      if (!isTacoError(error, 'ALREADY_EXISTS')) throw error
    }
    const unit = await control.units.get({ org, unit: name }, caller)
    if (Object.entries(labels).some(([label, value]) => unit.labels[label] !== value))
      await control.units.update({ org, unit: unit.id }, { labels }, caller)
    return unit.id
  }

  async function declare(
    org: string,
    { name, dependencies }: SyncUnit,
    {
      idOf,
      declared,
      isHidden,
    }: {
      readonly idOf: ReadonlyMap<string, string>
      readonly declared: Map<string, Declared>
      readonly isHidden: (id: string) => boolean
    },
    caller: Caller,
  ): Promise<void> {
    const edges = dependencies.flatMap(({ on, outputs, inputs }): Dependency[] => {
      const id = idOf.get(on)
      if (id === undefined) return []
      const names = outputs === null ? null : [...outputs]
      return [{ on: id, name: on, outputs: names, source: 'code', inputs: { ...inputs } }]
    })
    await control.graph.changeDependencies(
      { org, unit: idOf.get(name) ?? name },
      (current, id) => {
        const before = current.filter(isOfCode)
        const after = [...edges, ...before.filter(({ on }) => isHidden(on))]
        declared.set(id, { before, after })
        return withCode(current, after)
      },
      caller,
    )
  }

  /**
   * The opposite edge may have been declared at the same moment: whoever sees both takes back their own edge, and
   * nothing that another sync has declared since.
   */
  async function refuseCycle(
    org: string,
    declared: ReadonlyMap<string, Declared>,
    isHidden: (id: string) => boolean,
    caller: Caller,
  ): Promise<void> {
    if (declared.size === 0) return
    const { units } = await control.graph.units(org, { fresh: true, damaged: 'left out' }, caller)
    const facts = units.map((unit) => unit.facts())
    const nameOf = new Map(facts.map(({ id, name }) => [id, name]))
    const edges = new Map(facts.map(({ id, dependencies }) => [id, dependencies.map(({ on }) => on)]))
    const cycle = findCycle(edges, declared.keys())
    if (cycle === undefined) return
    await forEachLimit([...declared], AT_ONCE, async ([id, { before, after }]) => {
      await control.graph.changeDependencies(
        { org, unit: id },
        (current) => (areSame(current.filter(isOfCode), after) ? withCode(current, before) : current),
        caller,
      )
    })
    throw cycleRefused(
      cycle.map((id) => (isHidden(id) ? 'a unit that you cannot see' : (nameOf.get(id) ?? id))),
    )
  }
}

const isOfCode = ({ source }: Dependency) => source === 'code'

function withCode(current: readonly Dependency[], code: readonly Dependency[]): readonly Dependency[] {
  return [...current.filter((edge) => !isOfCode(edge)), ...code]
}

function areSame(some: readonly Dependency[], others: readonly Dependency[]): boolean {
  if (some.length !== others.length) return false
  const byUnit = groupedBy(others, ({ on }) => on)
  return some.every((one) => byUnit.get(one.on)?.some((other) => isSame(one, other)))
}
