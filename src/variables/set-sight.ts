import type { Caller } from '../access/index.ts'
import { badRequest, isTacoError } from '../base/errors.ts'
import { type Projects, projectIdOf } from '../projects/index.ts'
import type { StateControl, UnitView } from '../state/index.ts'
import type { UnitVariables } from './unit-variables.ts'
import { type Scope, type VariableSet, scopeFor } from './variable-set.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/** What a caller may see of the sets of an organization. */
export interface SetSight {
  sees(set: VariableSet): boolean
  /** Those that exist, and that the caller may see. */
  unitsOf(set: VariableSet): readonly Named[]
  /** Those that exist. */
  projectsOf(set: VariableSet): readonly Named[]
  /** The units that get it, by name: those whose variables the caller may read. */
  appliesTo(set: VariableSet): readonly (Named & { readonly scope: Scope })[]
}

export interface Attachments {
  /** The project that owns the set. Its set is for its own units. */
  readonly owner: string | undefined
  readonly units?: readonly string[] | undefined
  readonly projects?: readonly string[] | undefined
}

export interface SetSights {
  /**
   * Who may read variables of the organization sees all sets. Others see those that are for a unit whose variables they
   * may read.
   */
  of(org: string, caller: Caller): Promise<SetSight>
  /**
   * Refuses what leads to nothing, and what a set of a project cannot be attached to: BAD_REQUEST, with `facts.field`
   * `owner`, `units` or `projects`. Units may be named. Gives the ids.
   */
  check(
    org: string,
    attachments: Attachments,
    caller: Caller,
  ): Promise<{ readonly units: readonly string[]; readonly projects: readonly string[] }>
}

interface Needs {
  readonly units: Pick<StateControl['units'], 'list'>
  readonly projects: Pick<Projects, 'fresh' | 'list'>
  readonly unitVariables: Pick<UnitVariables, 'find'>
}

export function createSetSights({ units, projects, unitVariables }: Needs): SetSights {
  async function visible(org: string, caller: Caller): Promise<readonly UnitView[]> {
    const all: UnitView[] = []
    let cursor: string | undefined
    do {
      const more = cursor === undefined ? {} : { cursor }
      const page = await units.list({ org, limit: 1_000, ...more }, caller)
      all.push(...page.items)
      cursor = page.next
    } while (cursor !== undefined)
    return all
  }

  async function findUnit(org: string, unit: string, caller: Caller) {
    try {
      return await unitVariables.find({ org, unit }, caller)
    } catch (error) {
      if (isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST')) return undefined
      throw error
    }
  }

  return {
    async of(org, caller) {
      const shown = new Map((await visible(org, caller)).map((unit) => [unit.id, unit]))
      const known = new Map((await projects.fresh(org)).map((project) => [project.id, project]))
      const { sight } = caller
      const seesAll = sight === undefined || sight.may('vars:read', undefined)
      const scopeIn = (set: VariableSet, unit: UnitView) =>
        scopeFor(set, { id: unit.id, project: projectIdOf(unit) })
      const readable = [...shown.values()].filter((unit) => sight?.may('vars:read', unit) !== false)
      return {
        sees: (set) => seesAll || readable.some((unit) => scopeIn(set, unit) !== undefined),
        unitsOf: (set) => namedIn(shown, set.units),
        projectsOf: (set) => namedIn(known, set.projects),
        appliesTo: (set) =>
          readable.flatMap((unit) => {
            const scope = scopeIn(set, unit)
            return scope === undefined ? [] : [{ id: unit.id, name: unit.name, scope }]
          }),
      }
    },
    async check(org, { owner, units: some = [], projects: others = [] }, caller) {
      const all = await projects.list(org)
      const byName = (given: string) =>
        all.find(({ id }) => id === given) ?? all.find((one) => one.name === given)
      if (owner !== undefined && byName(owner) === undefined)
        throw badRequest('owner', `There is no project ${owner}.`)
      const ofProjects = others.map((given) => {
        const project = byName(given)
        if (project === undefined) throw badRequest('projects', `There is no project ${given}.`)
        if (owner !== undefined && project.id !== owner)
          throw badRequest('projects', 'A variable set of a project is for that project only.')
        return project.id
      })
      const ofUnits: string[] = []
      for (const given of some) {
        const found = await findUnit(org, given, caller)
        if (found === undefined) throw badRequest('units', `There is no unit ${given}.`)
        if (owner !== undefined && found.project !== owner)
          throw badRequest('units', `${found.unit.name} is not in the project that owns the variable set.`)
        ofUnits.push(found.unit.id)
      }
      return { units: ofUnits, projects: ofProjects }
    },
  }
}

function namedIn(known: ReadonlyMap<string, Named>, ids: readonly string[]): readonly Named[] {
  return ids.flatMap((id) => {
    const found = known.get(id)
    return found === undefined ? [] : [{ id, name: found.name }]
  })
}
