import type { Caller } from '../access/index.ts'
import { TacoError } from '../base/errors.ts'
import { sha256Hex } from '../base/sha256-hex.ts'
import { projectIdOf } from '../projects/index.ts'
import { type StateControl, type UnitRef, noSuchUnit } from '../state/index.ts'
import { type Candidate, type Effective, effectiveOf } from './precedence.ts'
import { type StoredVariable, type VariableView, viewVariable } from './variable.ts'
import { type Scope, type VariableSet, scopeFor } from './variable-set.ts'
import { type VariableSets, ownerOf } from './variable-sets.ts'
import type { Owner, VariableStore } from './variables.ts'

/** A unit that exists, by its id. */
export interface UnitOwner extends Owner {
  readonly unit: { readonly id: string; readonly name: string }
  /** The project that it belongs to. */
  readonly project: string
}

/** A variable as a run gets it: with its value. */
export interface RunVariable {
  readonly key: string
  readonly category: string
  readonly value: string
  readonly sensitive: boolean
  readonly hcl: boolean
  /** From a priority set: stronger than what code, files and dependencies say. */
  readonly priority: boolean
}

export interface RunVariables {
  /** The same as long as no variable changes that applies to the unit. Null: there is none. Says nothing about values. */
  readonly print: string | null
  readonly items: readonly RunVariable[]
}

/** What applies to a unit: its own variables, and those of the sets that are for it. */
export interface UnitVariables {
  /** By name or id. NOT_FOUND if there is none, or if it was deleted. */
  find(ref: UnitRef, caller: Caller): Promise<UnitOwner>
  /** The sets that are for the unit, by name. */
  setsFor(owner: UnitOwner): Promise<readonly { readonly set: VariableSet; readonly scope: Scope }[]>
  effective(owner: UnitOwner): Promise<readonly Effective<VariableView>[]>
  /** With the values of sensitive ones: for the unit's runs, and for no one else. */
  forRun(owner: UnitOwner): Promise<RunVariables>
}

export function createUnitVariables(
  store: VariableStore,
  sets: Pick<VariableSets, 'list'>,
  units: Pick<StateControl['units'], 'get'>,
): UnitVariables {
  async function setsFor({ org, unit, project }: UnitOwner) {
    return (await sets.list(org)).flatMap((set) => {
      const scope = scopeFor(set, { id: unit.id, project })
      return scope === undefined ? [] : [{ set, scope }]
    })
  }

  interface Held extends StoredVariable {
    readonly owner: Owner
  }

  async function all(owner: UnitOwner): Promise<readonly Effective<Held>[]> {
    const [own, others] = await Promise.all([store.stored(owner), setsFor(owner)])
    const ofSets = await Promise.all(
      others.map(async ({ set, scope }): Promise<Candidate<Held>[]> => {
        const { id, name, priority, parent } = set
        const from = ownerOf(owner.org, set)
        const source = { kind: 'set', id, name, scope, priority, isOfProject: parent !== undefined } as const
        return (await store.stored(from)).map((one) => ({ variable: { ...one, owner: from }, source }))
      }),
    )
    const ofUnit = own.map((one) => ({ variable: { ...one, owner }, source: { kind: 'unit' } as const }))
    return effectiveOf([...ofUnit, ...ofSets.flat()])
  }

  const viewed = ({ variable, source }: Candidate<Held>) => ({ variable: viewVariable(variable), source })

  return {
    async find(ref, caller) {
      const unit = await units.get(ref, caller)
      if (unit.deleted !== null) throw noSuchUnit(ref)
      return { org: ref.org, unit: { id: unit.id, name: unit.name }, project: projectIdOf(unit) }
    },
    setsFor,
    effective: async (owner) =>
      (await all(owner)).map((one) => ({ ...viewed(one), overrides: one.overrides.map(viewed) })),
    async forRun(owner) {
      const found = await all(owner)
      const versions = found.map(({ variable }) => [variable.id, variable.versionId])
      return {
        print: found.length === 0 ? null : sha256Hex(JSON.stringify(versions)),
        items: found.map(({ variable, source }) => {
          const { key, category, sensitive, hcl } = variable
          const priority = source.kind === 'set' && source.priority
          return { key, category, sensitive, hcl, priority, value: opened(store, variable) }
        }),
      }
    },
  }
}

/** A run without one of its variables would make another plan, so it fails as a whole. */
function opened(store: VariableStore, variable: StoredVariable & { readonly owner: Owner }): string {
  try {
    return store.valueOf(variable.owner, variable)
  } catch (cause) {
    if (!(cause instanceof TacoError)) throw cause
    throw new TacoError(cause.code, `The value of ${variable.key} cannot be read. ${cause.message}`, {
      facts: cause.facts,
      ...(cause.hint === undefined ? {} : { hint: cause.hint }),
      cause,
    })
  }
}
