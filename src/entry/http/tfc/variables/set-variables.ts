import { z } from 'zod'
import { ownerOf } from '../../../../variables/index.ts'
import { NO_CONTENT, documented, route } from '../kit/define.ts'
import { document } from '../kit/json-api.ts'
import { paging } from '../kit/paging.ts'
import { changeOf, changedVariable, inputOf, newVariable, withUniqueKey } from './bodies.ts'
import { variableOfSet } from './resources.ts'
import { SetParams, ofSet } from './variable-sets.ts'
import { wholeList } from './whole-list.ts'
import { notFound } from '../kit/errors.ts'

const tags = ['terraform cloud']
const path = '/api/v2/varsets/{varset}/relationships/vars'
const VariableParams = SetParams.extend({ id: z.string() })

export const setVariableRoutes = [
  route({
    method: 'GET',
    path,
    id: 'tfcListVariableSetVariables',
    action: 'vars:read',
    isFiltered: true,
    tags,
    summary: 'List the variables of a variable set',
    params: SetParams,
    query: z.object(paging),
    target: ofSet,
    answers: { 200: documented('All of them') },
    async handle({ target: { org, set }, query, caller, x }, services) {
      if (!(await services.setSights.of(org, caller)).sees(set)) throw notFound()
      const all = await services.variables.list(ownerOf(org, set))
      return {
        status: 200,
        ...wholeList(
          all.map((variable) => variableOfSet(variable, set.id)),
          query,
          x,
        ),
      }
    },
  }),
  route({
    method: 'POST',
    path,
    id: 'tfcCreateVariableSetVariable',
    action: 'vars:write',
    tags,
    summary: 'Create a variable of a variable set',
    params: SetParams,
    body: newVariable,
    target: ofSet,
    answers: { 201: documented('Created') },
    async handle({ target: { org, set }, body, caller }, { variables }) {
      const made = await withUniqueKey(() =>
        variables.create(ownerOf(org, set), inputOf(body.attributes), caller),
      )
      return { status: 201, ...document(variableOfSet(made, set.id)) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    id: 'tfcReadVariableSetVariable',
    action: 'vars:read',
    isFiltered: true,
    tags,
    summary: 'Show a variable of a variable set',
    params: VariableParams,
    target: ofSet,
    answers: { 200: documented('The variable; null for a sensitive value') },
    async handle({ target: { org, set }, params, caller }, services) {
      if (!(await services.setSights.of(org, caller)).sees(set)) throw notFound()
      const variable = await services.variables.get(ownerOf(org, set), params.id)
      return { status: 200, ...document(variableOfSet(variable, set.id)) }
    },
  }),
  route({
    method: 'PATCH',
    path: `${path}/{id}`,
    id: 'tfcUpdateVariableSetVariable',
    action: 'vars:write',
    tags,
    summary: 'Change a variable of a variable set',
    params: VariableParams,
    body: changedVariable,
    target: ofSet,
    answers: { 200: documented('Changed') },
    async handle({ target: { org, set }, params, body, caller }, { variables }) {
      const changed = await withUniqueKey(() =>
        variables.update(ownerOf(org, set), params.id, changeOf(body.attributes), caller),
      )
      return { status: 200, ...document(variableOfSet(changed, set.id)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    id: 'tfcDeleteVariableSetVariable',
    action: 'vars:write',
    tags,
    summary: 'Delete a variable of a variable set',
    params: VariableParams,
    target: ofSet,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, set }, params, caller }, { variables }) {
      await variables.remove(ownerOf(org, set), params.id, caller)
      return { status: 204 }
    },
  }),
]
