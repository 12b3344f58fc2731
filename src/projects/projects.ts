import { z } from 'zod'
import type { Caller } from '../access/index.ts'
import { TacoError, isTacoError } from '../base/errors.ts'
import { sha256Hex } from '../base/sha256-hex.ts'
import {
  type FieldsOf,
  type RecordDeps,
  type RecordKind,
  type RecordOf,
  createRecords,
  orgTag,
} from '../records/index.ts'
import {
  type Expected,
  type StateControl,
  type UnitView,
  changedMeanwhile,
  checkLabelCount,
  isExpected,
  parseLabels,
} from '../state/index.ts'
import { settingsOf } from './workspace-settings.ts'

const shape = {
  name: z.string(),
  description: z.string(),
  /** Every unit of the project has them as well, unless it says otherwise. An empty value: a tag without one. */
  labels: z.record(z.string(), z.string()),
  /** Of its workspaces. Undefined: that of the organization. */
  executionMode: z.string().optional(),
  agentPool: z.string().optional(),
  autoDestroyActivityDuration: z.string().optional(),
}

export type Project = RecordOf<typeof shape>
export type ProjectFields = FieldsOf<Project>

const kind: RecordKind<typeof shape> = {
  name: 'project',
  folder: 'projects',
  word: 'project',
  prefix: 'prj',
  shape,
  most: 1_000,
  unique: { field: 'name', of: ({ name }) => name },
  says: ({ name }) => ({ name }),
}

/** Projects group the units of an organization. Each organization has a default one, which need not be stored. */
export interface Projects {
  /** The default one first, then by name. */
  list(org: string): Promise<readonly Project[]>
  /** At most two seconds old. */
  fresh(org: string): Promise<readonly Project[]>
  find(org: string, id: string): Promise<Project | undefined>
  /** By id or name. NOT_FOUND if there is none. */
  get(org: string, idOrName: string): Promise<Project>
  /** By the id alone. */
  locate(id: string): Promise<{ readonly org: string; readonly record: Project } | undefined>
  create(org: string, fields: ProjectFields, caller: Caller): Promise<Project>
  /** `expected`: tags, as `projectEtag` gives them. */
  update(
    org: string,
    id: string,
    change: (project: Project) => Project,
    caller: Caller,
    expected?: Expected,
  ): Promise<Project>
  /** Refused for the default project, and while units belong to it. */
  remove(org: string, id: string, caller: Caller): Promise<void>
}

/** Of the project that a unit belongs to. */
export function projectIdOf(unit: Pick<UnitView, 'org' | 'sections'>): string {
  return settingsOf(unit).project ?? defaultProjectId(unit.org)
}

/** Follows from the organization, so that it is the same on every server without being stored. */
export function defaultProjectId(org: string): string {
  const rest = sha256Hex(`default project of ${org}`).slice(0, 12)
  return `prj-${orgTag(org)}${rest}`
}

/** Of what is stored. */
export function projectEtag(project: Project): string {
  return sha256Hex(JSON.stringify(project)).slice(0, 24)
}

export function createProjects(deps: RecordDeps, { units }: Pick<StateControl, 'units'>): Projects {
  const records = createRecords(deps, kind)

  /** A default project that was changed is stored like any other. */
  function withDefault(org: string, stored: readonly Project[]): readonly Project[] {
    const id = defaultProjectId(org)
    const first = stored.find((project) => project.id === id) ?? defaultProject(org)
    const others = stored.filter((project) => project.id !== id)
    return [first, ...others.toSorted((a, b) => a.name.localeCompare(b.name))]
  }

  function check({ name, labels }: Pick<Project, 'name' | 'labels'>): void {
    if (!/^[A-Za-z0-9](?:[A-Za-z0-9 _-]{1,38}[A-Za-z0-9_-])?$/.test(name))
      throw new TacoError('BAD_REQUEST', `"${name}" is not a valid project name.`, {
        facts: { field: 'name' },
        hint: 'Use 1 to 40 letters, digits, spaces, "-" and "_", with a letter or digit first.',
      })
    parseLabels(labels)
    checkLabelCount(labels)
  }

  async function isUsed(org: string, id: string, caller: Caller): Promise<boolean> {
    let cursor: string | undefined
    do {
      // Also by units that the caller may not see.
      const { sight: _, ...all } = caller
      const page = await units.list({ org, limit: 1_000, ...(cursor === undefined ? {} : { cursor }) }, all)
      if (page.items.some((unit) => projectIdOf(unit) === id)) return true
      cursor = page.next
    } while (cursor !== undefined)
    return false
  }

  async function list(org: string): Promise<readonly Project[]> {
    return withDefault(org, await records.list({ org }))
  }

  /** Undefined: another server was faster. */
  async function storeDefault(org: string, project: Project, caller: Caller): Promise<Project | undefined> {
    const { id, createdAt: _at, updatedAt: _until, createdBy: _by, ...fields } = project
    try {
      return await records.create({ org }, fields, caller, id)
    } catch (error) {
      if (isTacoError(error, 'ALREADY_EXISTS') && error.facts['id'] === id) return undefined
      throw error
    }
  }

  return {
    list,
    fresh: async (org) => withDefault(org, await records.fresh({ org })),
    find: async (org, id) => (await list(org)).find((project) => project.id === id),
    async get(org, idOrName) {
      const all = await list(org)
      const found =
        all.find(({ id }) => id === idOrName) ??
        all.find(({ name }) => name.toLowerCase() === idOrName.toLowerCase())
      if (found !== undefined) return found
      throw new TacoError('NOT_FOUND', `There is no project ${idOrName}.`, { facts: { field: 'project' } })
    },
    async locate(id) {
      const found = await records.locate(id)
      if (found !== undefined) return found
      const org = await deps.orgIds.search((one) =>
        Promise.resolve(defaultProjectId(one) === id ? one : undefined),
      )
      return org === undefined ? undefined : { org, record: defaultProject(org) }
    },
    async create(org, fields, caller) {
      check(fields)
      refuseTaken(await list(org), fields.name)
      return records.create({ org }, fields, caller)
    },
    async update(org, id, change, caller, expected) {
      const all = await list(org)
      const checked = (project: Project) => {
        if (!isExpected(expected, projectEtag(project))) throw changedMeanwhile(`The project ${project.name}`)
        const changed = change(project)
        check(changed)
        refuseTaken(all, changed.name, id)
        return changed
      }
      const isStored = (await records.find({ org }, id)) !== undefined
      if (!isStored && id === defaultProjectId(org)) {
        const made = await storeDefault(org, checked(defaultProject(org)), caller)
        if (made !== undefined) return made
      }
      return records.update({ org }, id, checked, caller)
    },
    async remove(org, id, caller) {
      if (id === defaultProjectId(org))
        throw new TacoError('BAD_REQUEST', 'The default project cannot be deleted.', {
          hint: 'Rename it instead.',
        })
      if (await isUsed(org, id, caller))
        throw new TacoError('CONFLICT', 'The project still has workspaces.', {
          hint: 'Move them to another project, or delete them.',
        })
      await records.remove({ org }, id, caller)
    },
  }
}

/** The records compare names among themselves; the default project may not be one of them. */
function refuseTaken(all: readonly Project[], name: string, except?: string): void {
  if (!all.some((other) => other.id !== except && other.name.toLowerCase() === name.toLowerCase())) return
  throw new TacoError('ALREADY_EXISTS', `There is already a project named ${name}.`, {
    facts: { field: 'name' },
    hint: 'Choose another name, or change the existing one.',
  })
}

function defaultProject(org: string): Project {
  return {
    id: defaultProjectId(org),
    name: 'Default Project',
    description: '',
    labels: {},
    createdAt: 0,
    updatedAt: 0,
    createdBy: 'system:opentaco',
  }
}
