import type { Caller } from '../access/index.ts'
import { TacoError } from '../base/errors.ts'
import { sha256Hex } from '../base/sha256-hex.ts'
import type { Projects } from '../projects/index.ts'
import { type RecordDeps, type Records, createRecords } from '../records/index.ts'
import { changedMeanwhile } from '../state/index.ts'
import { type VariableSet, checkSet, variableSetKind } from './variable-set.ts'
import type { Owner, Variables } from './variables.ts'

/** What is left out stays as it is, or is the default of a new one. */
export interface SetChange {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly global?: boolean | undefined
  readonly priority?: boolean | undefined
  readonly units?: Attached | undefined
  readonly projects?: Attached | undefined
}

/** All of them, or more and fewer. Ids. */
export type Attached =
  | readonly string[]
  | { readonly add?: readonly string[] | undefined; readonly remove?: readonly string[] | undefined }

export interface NewSet extends SetChange {
  readonly name: string
  /** The project that owns it. Undefined: the organization. */
  readonly project?: string | undefined
}

interface SetDeps extends RecordDeps {
  readonly projects: Pick<Projects, 'list'>
}

/** Whoever calls it has checked what the caller may do, and that units and projects exist. */
export interface VariableSets extends Pick<Records<VariableSet>, 'locate'> {
  /** By name. */
  list(org: string): Promise<readonly VariableSet[]>
  /** By id or name. NOT_FOUND if there is none. */
  get(org: string, idOrName: string): Promise<VariableSet>
  create(org: string, set: NewSet, caller: Caller): Promise<VariableSet>
  /** `expected`: the `setTag` of the set that the change is meant for; else PRECONDITION_FAILED. */
  update(org: string, id: string, change: SetChange, caller: Caller, expected?: string): Promise<VariableSet>
  /** With its variables. */
  remove(org: string, id: string, caller: Caller): Promise<void>
}

export function ownerOf(org: string, { id, name }: Pick<VariableSet, 'id' | 'name'>): Owner {
  return { org, set: { id, name } }
}

/** The same as long as nothing about the set changes, its variables apart. */
export function setTag(set: VariableSet): string {
  return sha256Hex(JSON.stringify(set))
}

/** One that the caller may not see is answered with this, too. */
export function noSuchSet(idOrName: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no variable set ${idOrName}.`, {
    hint: 'List them with `taco varset ls`.',
  })
}

export function createVariableSets(deps: SetDeps, variables: Pick<Variables, 'clear'>): VariableSets {
  const records = createRecords(deps, variableSetKind)

  /** The sets of a project end with it. Whoever deletes a project knows nothing of them, so they are hidden first. */
  async function sorted(org: string) {
    const all = await records.list({ org })
    if (all.every(({ parent }) => parent === undefined)) return { sets: all, left: [] }
    const projects = new Set((await deps.projects.list(org)).map(({ id }) => id))
    const isLeft = ({ parent }: VariableSet) => parent !== undefined && !projects.has(parent.project)
    return { sets: all.filter((set) => !isLeft(set)), left: all.filter(isLeft) }
  }

  async function remove(org: string, id: string, caller: Caller): Promise<void> {
    const set = await records.remove({ org }, id, caller)
    // Without its set, no one finds them: whatever happens now, they are gone.
    await variables.clear(ownerOf(org, set))
  }

  async function get(org: string, idOrName: string): Promise<VariableSet> {
    const { sets: all } = await sorted(org)
    const name = idOrName.toLowerCase()
    const set = all.find(({ id }) => id === idOrName) ?? all.find((one) => one.name.toLowerCase() === name)
    if (set !== undefined) return set
    throw noSuchSet(idOrName)
  }

  return {
    async locate(id) {
      const found = await records.locate(id)
      if (found?.record.parent === undefined) return found
      const { left } = await sorted(found.org)
      return left.some((set) => set.id === id) ? undefined : found
    },
    list: async (org) => (await sorted(org)).sets.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    get,
    async create(org, { project, units = [], projects = [], ...given }, caller) {
      const set = {
        description: '',
        global: false,
        priority: false,
        ...withoutUndefined(given),
        name: given.name,
        ...(project === undefined ? {} : { parent: { project } }),
        units: attached([], units),
        projects: attached([], projects),
      }
      checkSet(set)
      // Their names are free.
      for (const { id } of (await sorted(org)).left) await remove(org, id, caller)
      return records.create({ org }, set, caller)
    },
    update: (org, id, { units, projects, ...given }, caller, expected) =>
      records.update(
        { org },
        id,
        (before) => {
          if (expected !== undefined && expected !== setTag(before))
            throw changedMeanwhile(`The variable set ${before.name}`)
          const after = {
            ...before,
            ...withoutUndefined(given),
            units: attached(before.units, units),
            projects: attached(before.projects, projects),
          }
          checkSet(after)
          return after
        },
        caller,
      ),
    remove,
  }
}

function attached(before: readonly string[], change: Attached | undefined): string[] {
  if (change === undefined) return [...before]
  if ('length' in change) return [...new Set(change)]
  const removed = new Set(change.remove)
  return [...new Set([...before.filter((id) => !removed.has(id)), ...(change.add ?? [])])]
}

function withoutUndefined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
