import { projectIdOf } from '../../../../projects/index.ts'
import type { Caller, UnitView } from '../../../../state/index.ts'
import { type VariableSet, ownerOf, scopeFor } from '../../../../variables/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { type ResourceObject, document, includes } from '../kit/json-api.ts'
import { type ShownSet, setResource, variableOfSet } from './resources.ts'

type Needs = Pick<TfcServices, 'control' | 'variables' | 'projects'>

/** What a caller may see of the sets of an organization. */
export interface SetsView {
  isShown(set: VariableSet): boolean
  show(set: VariableSet): Promise<ShownSet>
  included(shown: ShownSet, query: { readonly include?: string | undefined }): readonly ResourceObject[]
}

/**
 * Who may read variables of the organization sees all sets; others see those that are for a unit whose variables they
 * may read. Relations name only units and projects that exist, and of units only those that the caller may see.
 */
export async function setsView(services: Needs, org: string, caller: Caller): Promise<SetsView> {
  const { control, variables } = services
  const units = new Map((await visibleUnits(services, org, caller)).map((unit) => [unit.id, unit]))
  const projects = new Map((await services.projects.fresh(org)).map((project) => [project.id, project]))
  const orgName = control.orgNames.nameOf(org)
  const { sight } = caller
  const seesAll = sight === undefined || sight.may('vars:read', undefined)
  const readable = [...units.values()].filter((unit) => sight?.may('vars:read', unit) !== false)

  return {
    isShown: (set) =>
      seesAll ||
      readable.some((unit) => scopeFor(set, { id: unit.id, project: projectIdOf(unit) }) !== undefined),
    async show(set) {
      return {
        set,
        orgName,
        workspaces: set.units.filter((id) => units.has(id)),
        projects: set.projects.filter((id) => projects.has(id)),
        variables: await variables.list(ownerOf(org, set)),
      }
    },
    included(shown, query) {
      const wanted = includes(query)
      const own = wanted.has('vars') ? shown.variables : []
      const workspaces = wanted.has('workspaces') ? shown.workspaces : []
      return [
        ...own.map((variable) => variableOfSet(variable, shown.set.id)),
        ...workspaces.map((id) => named('workspaces', id, units.get(id)?.name.replaceAll('/', '--'))),
        ...(wanted.has('projects') ? shown.projects : []).map((id) =>
          named('projects', id, projects.get(id)?.name),
        ),
      ]
    },
  }
}

function named(type: string, id: string, name: string | undefined): ResourceObject {
  return { id, type, attributes: { name } }
}

async function visibleUnits({ control }: Needs, org: string, caller: Caller): Promise<readonly UnitView[]> {
  const all: UnitView[] = []
  let cursor: string | undefined
  do {
    const more = cursor === undefined ? {} : { cursor }
    const page = await control.units.list({ org, limit: 1_000, ...more }, caller)
    all.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

interface SetRequest {
  readonly org: string
  readonly set: VariableSet
  readonly caller: Caller
  readonly query?: { readonly include?: string | undefined }
}

/** The answer about one set. */
export async function setDocument(services: Needs, { org, set, caller, query = {} }: SetRequest) {
  const view = await setsView(services, org, caller)
  if (!view.isShown(set)) throw notFound()
  const shown = await view.show(set)
  return document(setResource(shown), { included: view.included(shown, query) })
}
