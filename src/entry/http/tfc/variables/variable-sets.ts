import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import type { Caller } from '../../../../state/index.ts'
import { type VariableSet, ownerOf, scopeFor } from '../../../../variables/index.ts'
import type { Demand } from '../../kit/routes/route.ts'
import { identifiers, resource, toMany } from '../kit/body.ts'
import {
  NO_CONTENT,
  OrgParams,
  type TfcServices,
  WorkspaceParams,
  documented,
  ofOrg,
  ofWorkspace,
  route,
} from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { NewVariableAttributes, inputOf } from './bodies.ts'
import { checkRelations } from './relations.ts'
import { setResource } from './resources.ts'
import { includedWith, setDocument, shownSet } from './shown-sets.ts'

const tags = ['terraform cloud']
const Include = z.object({ include: z.string().optional() })
const ListQuery = z.object({ ...paging, q: z.string().optional() })

export const SetParams = z.object({ varset: z.string() })

/** A set by its id, wherever it is. */
export async function ofSet(
  { params }: { readonly params: { readonly varset: string } },
  { locator, variableSets }: TfcServices,
) {
  const { org, record: set } = await locator.record(variableSets, params.varset)
  return { org, set }
}

async function ofProject(
  { params }: { readonly params: { readonly project: string } },
  { locator, projects }: TfcServices,
) {
  const { org, record } = await locator.record(projects, params.project)
  return { org, project: record.id }
}

const attributes = {
  name: z.string().nullish(),
  description: z.string().nullish(),
  global: z.boolean().nullish(),
  priority: z.boolean().nullish(),
}
const relationships = { workspaces: toMany('workspaces'), projects: toMany('projects') }
const Parent = z.object({
  data: z.object({ type: z.enum(['organizations', 'projects']), id: z.string() }).nullish(),
})
const Vars = z
  .object({ data: z.array(z.object({ attributes: NewVariableAttributes.optional() })).max(500) })
  .transform(({ data }) => data.flatMap((one) => one.attributes ?? []))
const newSet = resource('varsets', {
  attributes: { ...attributes, name: z.string() },
  relationships: { ...relationships, parent: Parent, vars: Vars },
})
const changedSet = resource('varsets', { attributes, relationships })

/** Changing what a unit gets is changing its variables. */
function onUnits(org: string, units: readonly string[] | undefined): readonly Demand[] {
  return (units ?? []).map((unit) => ({ action: 'vars:write', resource: { org, unit } }))
}

function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], null> } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? undefined])) as {
    [K in keyof T]: Exclude<T[K], null>
  }
}

export const variableSetRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/varsets',
    id: 'tfcListVariableSets',
    action: 'vars:read',
    isFiltered: true,
    tags,
    summary: 'List the variable sets of an organization',
    params: OrgParams,
    query: ListQuery,
    target: ofOrg,
    answers: { 200: documented('A page, by name') },
    async handle({ target: { org }, query, caller, x }, services) {
      const all = await services.variableSets.list(org)
      return { status: 200, ...(await setList({ services, org, caller, query, x }, all)) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/varsets',
    id: 'tfcCreateVariableSet',
    action: 'vars:write',
    tags,
    summary: 'Create a variable set',
    params: OrgParams,
    body: newSet,
    target: ofOrg,
    also: ({ target, body }) => onUnits(target.org, body.relationships.workspaces),
    answers: { 201: documented('Created') },
    async handle({ target: { org }, body, caller }, services) {
      const { workspaces, projects, parent, vars = [] } = body.relationships
      const owner = parent?.data?.type === 'projects' ? parent.data.id : undefined
      await checkRelations(services, org, { owner, units: workspaces, projects }, caller)
      const input = { ...given(body.attributes), units: workspaces, projects, project: owner }
      const set = await withUniqueName(() => services.variableSets.create(org, input, caller))
      if (vars.length > 0)
        await services.variables.change(ownerOf(org, set), { set: vars.map(inputOf) }, caller)
      return { status: 201, ...(await setDocument(services, { org, set, caller })) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/varsets/{varset}',
    id: 'tfcReadVariableSet',
    action: 'vars:read',
    isFiltered: true,
    tags,
    summary: 'Show a variable set',
    params: SetParams,
    query: Include,
    target: ofSet,
    answers: { 200: documented('The set') },
    async handle({ target, query, caller }, services) {
      return { status: 200, ...(await setDocument(services, { ...target, query, caller })) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/varsets/{varset}',
    id: 'tfcUpdateVariableSet',
    action: 'vars:write',
    tags,
    summary: 'Change a variable set; relations that are given replace those it has',
    params: SetParams,
    query: Include,
    body: changedSet,
    target: ofSet,
    also: ({ target, body }) => onUnits(target.org, body.relationships.workspaces),
    answers: { 200: documented('Changed') },
    async handle({ target: { org, set }, body, query, caller }, services) {
      const { workspaces, projects } = body.relationships
      await checkRelations(services, org, { owner: set.parent?.project, units: workspaces, projects }, caller)
      const change = { ...given(body.attributes), units: workspaces, projects }
      const changed = await withUniqueName(() => services.variableSets.update(org, set.id, change, caller))
      return { status: 200, ...(await setDocument(services, { org, set: changed, query, caller })) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/varsets/{varset}',
    id: 'tfcDeleteVariableSet',
    action: 'vars:write',
    tags,
    summary: 'Delete a variable set with its variables',
    params: SetParams,
    target: ofSet,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, set }, caller }, { variableSets }) {
      await variableSets.remove(org, set.id, caller)
      return { status: 204 }
    },
  }),
  ...(['POST', 'DELETE'] as const).map((method) =>
    route({
      method,
      path: '/api/v2/varsets/{varset}/relationships/workspaces',
      id: method === 'POST' ? 'tfcApplyVariableSetToWorkspaces' : 'tfcRemoveVariableSetFromWorkspaces',
      action: 'vars:write',
      tags,
      summary: method === 'POST' ? 'Attach a variable set to workspaces' : 'Detach it from workspaces',
      params: SetParams,
      body: identifiers('workspaces'),
      target: ofSet,
      also: ({ target, body }) => onUnits(target.org, body),
      answers: { 204: NO_CONTENT },
      async handle({ target: { org, set }, body, caller }, services) {
        if (method === 'POST')
          await checkRelations(services, org, { owner: set.parent?.project, units: body }, caller)
        const units = method === 'POST' ? { add: body } : { remove: body }
        await services.variableSets.update(org, set.id, { units }, caller)
        return { status: 204 }
      },
    }),
  ),
  ...(['POST', 'DELETE'] as const).map((method) =>
    route({
      method,
      path: '/api/v2/varsets/{varset}/relationships/projects',
      id: method === 'POST' ? 'tfcApplyVariableSetToProjects' : 'tfcRemoveVariableSetFromProjects',
      action: 'vars:write',
      tags,
      summary: method === 'POST' ? 'Attach a variable set to projects' : 'Detach it from projects',
      params: SetParams,
      body: identifiers('projects'),
      target: ofSet,
      answers: { 204: NO_CONTENT },
      async handle({ target: { org, set }, body, caller }, services) {
        if (method === 'POST')
          await checkRelations(services, org, { owner: set.parent?.project, projects: body }, caller)
        const projects = method === 'POST' ? { add: body } : { remove: body }
        await services.variableSets.update(org, set.id, { projects }, caller)
        return { status: 204 }
      },
    }),
  ),
  route({
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/varsets',
    id: 'tfcListWorkspaceVariableSets',
    action: 'vars:read',
    tags,
    summary: 'List the variable sets that apply to a workspace',
    params: WorkspaceParams,
    query: ListQuery,
    target: ofWorkspace,
    answers: { 200: documented('A page, by name') },
    async handle({ target, query, caller, x }, services) {
      const all = await services.unitVariables.setsFor(await services.unitVariables.find(target, caller))
      const sets = all.map(({ set }) => set)
      return { status: 200, ...(await setList({ services, org: target.org, caller, query, x }, sets)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/projects/{project}/varsets',
    id: 'tfcListProjectVariableSets',
    action: 'vars:read',
    isFiltered: true,
    tags,
    summary: 'List the variable sets that apply to all workspaces of a project',
    params: z.object({ project: z.string() }),
    query: ListQuery,
    target: ofProject,
    answers: { 200: documented('A page, by name') },
    async handle({ target: { org, project }, query, caller, x }, services) {
      const all = await services.variableSets.list(org)
      const sets = all.filter((set) => scopeFor(set, { id: '', project }) !== undefined)
      return { status: 200, ...(await setList({ services, org, caller, query, x }, sets)) }
    },
  }),
]

interface ListRequest {
  readonly services: TfcServices
  readonly org: string
  readonly caller: Caller
  readonly query: z.infer<typeof ListQuery>
  readonly x: Parameters<typeof paged>[2]
}

/** A page of those that the caller may see. */
async function setList({ services, org, caller, query, x }: ListRequest, all: readonly VariableSet[]) {
  const sight = await services.setSights.of(org, caller)
  const wanted = query.q?.toLowerCase() ?? ''
  const found = all.filter((set) => sight.sees(set) && set.name.toLowerCase().includes(wanted))
  const page = paged(found, query, x)
  const shown = await Promise.all(page.items.map((set) => shownSet(services, org, set, sight)))
  return listed(
    { ...page, items: shown.map(setResource) },
    { included: shown.flatMap((one) => includedWith(one, query)) },
  )
}

async function withUniqueName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isTacoError(error, 'ALREADY_EXISTS')) throw invalidAttribute('name', 'Name has already been taken.')
    throw error
  }
}
