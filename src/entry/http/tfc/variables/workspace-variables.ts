import { z } from 'zod'
import { nameFromFlat } from '../../../../state/index.ts'
import type { UnitOwner } from '../../../../variables/index.ts'
import {
  NO_CONTENT,
  type TfcServices,
  WorkspaceParams,
  documented,
  ofWorkspace,
  route,
} from '../kit/define.ts'
import { document } from '../kit/json-api.ts'
import { paging } from '../kit/paging.ts'
import { changeOf, changedVariable, inputOf, newVariable, withUniqueKey } from './bodies.ts'
import { variableOfSet, variableOfWorkspace } from './resources.ts'
import { wholeList } from './whole-list.ts'

const tags = ['terraform cloud']
const path = '/api/v2/workspaces/{workspace}/vars'
const query = z.object(paging)
const VariableParams = WorkspaceParams.extend({ id: z.string() })
const ByName = z.object({
  ...paging,
  'filter[organization][name]': z.string(),
  'filter[workspace][name]': z.string().transform(nameFromFlat),
})

function ofNamedWorkspace(asked: { readonly query: z.infer<typeof ByName> }, { control }: TfcServices) {
  return {
    org: control.orgNames.idOf(asked.query['filter[organization][name]']),
    unit: asked.query['filter[workspace][name]'],
  }
}

export const workspaceVariableRoutes = [
  route({
    method: 'GET',
    path,
    id: 'tfcListWorkspaceVariables',
    action: 'vars:read',
    tags,
    summary: 'List the variables of a workspace',
    params: WorkspaceParams,
    query,
    target: ofWorkspace,
    answers: { 200: documented('All of them') },
    async handle({ target, query: page, caller, x }, services) {
      return {
        status: 200,
        ...(await ownList(await services.unitVariables.find(target, caller), services, page, x)),
      }
    },
  }),
  route({
    method: 'POST',
    path,
    id: 'tfcCreateWorkspaceVariable',
    action: 'vars:write',
    tags,
    summary: 'Create a variable of a workspace',
    params: WorkspaceParams,
    body: newVariable,
    target: ofWorkspace,
    answers: { 201: documented('Created') },
    async handle({ target, body, caller }, services) {
      const owner = await services.unitVariables.find(target, caller)
      const made = await withUniqueKey(() =>
        services.variables.create(owner, inputOf(body.attributes), caller),
      )
      return { status: 201, ...document(variableOfWorkspace(made, owner.unit.id)) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    id: 'tfcReadWorkspaceVariable',
    action: 'vars:read',
    tags,
    summary: 'Show a variable of a workspace',
    params: VariableParams,
    target: ofWorkspace,
    answers: { 200: documented('The variable; null for a sensitive value') },
    async handle({ target, params, caller }, services) {
      const owner = await services.unitVariables.find(target, caller)
      const variable = await services.variables.get(owner, params.id)
      return { status: 200, ...document(variableOfWorkspace(variable, owner.unit.id)) }
    },
  }),
  route({
    method: 'PATCH',
    path: `${path}/{id}`,
    id: 'tfcUpdateWorkspaceVariable',
    action: 'vars:write',
    tags,
    summary: 'Change a variable of a workspace',
    params: VariableParams,
    body: changedVariable,
    target: ofWorkspace,
    answers: { 200: documented('Changed') },
    async handle({ target, params, body, caller }, services) {
      const owner = await services.unitVariables.find(target, caller)
      const changed = await withUniqueKey(() =>
        services.variables.update(owner, params.id, changeOf(body.attributes), caller),
      )
      return { status: 200, ...document(variableOfWorkspace(changed, owner.unit.id)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    id: 'tfcDeleteWorkspaceVariable',
    action: 'vars:write',
    tags,
    summary: 'Delete a variable of a workspace',
    params: VariableParams,
    target: ofWorkspace,
    answers: { 204: NO_CONTENT },
    async handle({ target, params, caller }, services) {
      await services.variables.remove(await services.unitVariables.find(target, caller), params.id, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/all-vars',
    id: 'tfcListAllWorkspaceVariables',
    action: 'vars:read',
    tags,
    summary: 'List the variables that apply to a workspace, those of variable sets included',
    params: WorkspaceParams,
    query,
    target: ofWorkspace,
    answers: { 200: documented('The strongest of each key') },
    async handle({ target, query: page, caller, x }, services) {
      const owner = await services.unitVariables.find(target, caller)
      const all = await services.unitVariables.effective(owner)
      const shown = all.map(({ variable, source }) =>
        source.kind === 'unit'
          ? variableOfWorkspace(variable, owner.unit.id)
          : variableOfSet(variable, source.id),
      )
      return { status: 200, ...wholeList(shown, page, x) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/vars',
    id: 'tfcListVariables',
    action: 'vars:read',
    tags,
    summary: 'List the variables of a workspace by its name; deprecated',
    query: ByName,
    target: ofNamedWorkspace,
    answers: { 200: documented('All of them') },
    async handle({ target, query: page, caller, x }, services) {
      return {
        status: 200,
        ...(await ownList(await services.unitVariables.find(target, caller), services, page, x)),
      }
    },
  }),
]

async function ownList(
  owner: UnitOwner,
  { variables }: TfcServices,
  page: z.infer<typeof query>,
  x: Parameters<typeof wholeList>[2],
) {
  const all = await variables.list(owner)
  return wholeList(
    all.map((variable) => variableOfWorkspace(variable, owner.unit.id)),
    page,
    x,
  )
}
