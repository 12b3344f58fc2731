import type { Caller } from '../../../../state/index.ts'
import { type SetSight, type VariableSet, ownerOf } from '../../../../variables/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { type ResourceObject, document, includes } from '../kit/json-api.ts'
import { type ShownSet, setResource, variableOfSet } from './resources.ts'

interface Asked {
  readonly include?: string | undefined
}

/** A set with what the caller may see of its relations. */
export async function shownSet(
  { control, variables }: Pick<TfcServices, 'control' | 'variables'>,
  org: string,
  set: VariableSet,
  sight: SetSight,
): Promise<ShownSet> {
  return {
    set,
    orgName: control.orgNames.nameOf(org),
    workspaces: sight.unitsOf(set),
    projects: sight.projectsOf(set),
    variables: await variables.list(ownerOf(org, set)),
  }
}

export function includedWith(shown: ShownSet, query: Asked): readonly ResourceObject[] {
  const wanted = includes(query)
  const own = wanted.has('vars') ? shown.variables : []
  const workspaces = wanted.has('workspaces') ? shown.workspaces : []
  const projects = wanted.has('projects') ? shown.projects : []
  return [
    ...own.map((variable) => variableOfSet(variable, shown.set.id)),
    ...workspaces.map(({ id, name }) => named('workspaces', id, name.replaceAll('/', '--'))),
    ...projects.map(({ id, name }) => named('projects', id, name)),
  ]
}

function named(type: string, id: string, name: string): ResourceObject {
  return { id, type, attributes: { name } }
}

interface SetRequest {
  readonly org: string
  readonly set: VariableSet
  readonly caller: Caller
  readonly query?: Asked
}

/** The answer about one set. */
export async function setDocument(services: TfcServices, { org, set, caller, query = {} }: SetRequest) {
  const sight = await services.setSights.of(org, caller)
  if (!sight.sees(set)) throw notFound()
  const shown = await shownSet(services, org, set, sight)
  return document(setResource(shown), { included: includedWith(shown, query) })
}
