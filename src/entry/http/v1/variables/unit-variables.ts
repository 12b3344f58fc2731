import { z } from 'zod'
import { OrgQuery, UnitParams, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { ofUnit, route } from '../define.ts'
import { SourceView, Variable, VariableChanges, Variables, viewOf, viewSource } from './schemas.ts'

const tags = ['variables']
const params = UnitParams
const query = OrgQuery
const path = '/v1/units/{unit}/variables'

export const unitVariableRoutes = [
  route({
    method: 'GET',
    path,
    id: 'listVariables',
    action: 'vars:read',
    tags,
    summary: 'List the variables of a unit',
    params,
    query,
    target: ofUnit,
    answers: { 200: jsonAnswer(Variables, 'All of them, without sensitive values') },
    async handle({ target, caller }, { variables, unitVariables }) {
      const all = await variables.list(await unitVariables.find(target, caller))
      return { status: 200, json: { items: all.map(viewOf) } }
    },
  }),
  route({
    method: 'PATCH',
    path,
    id: 'changeVariables',
    action: 'vars:write',
    tags,
    summary: 'Set and remove variables of a unit, all at once',
    params,
    query,
    body: jsonBody(VariableChanges),
    target: ofUnit,
    answers: { 200: jsonAnswer(Variables, 'Those that were set') },
    async handle({ target, body, caller }, { variables, unitVariables }) {
      const owner = await unitVariables.find(target, caller)
      const changed = await variables.change(owner, defined(body), caller)
      return { status: 200, json: { items: changed.map(viewOf) } }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/effective`,
    id: 'listEffectiveVariables',
    action: 'vars:read',
    tags,
    summary:
      'List the variables that apply to a unit, those of variable sets included, and what they override',
    params,
    query,
    target: ofUnit,
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(
            Variable.extend({
              source: SourceView,
              overrides: z.array(z.object({ id: z.string(), source: SourceView })),
            }),
          ),
        }),
        'The strongest of each key, without sensitive values',
      ),
    },
    async handle({ target, caller }, { unitVariables }) {
      const all = await unitVariables.effective(await unitVariables.find(target, caller))
      const items = all.map(({ variable, source, overrides }) => ({
        ...viewOf(variable),
        source: viewSource(source),
        overrides: overrides.map((one) => ({ id: one.variable.id, source: viewSource(one.source) })),
      }))
      return { status: 200, json: { items } }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/values`,
    id: 'getVariableValues',
    action: 'vars:read',
    tags,
    summary: 'Get the variables that apply to a unit with their values, sensitive ones included, for a run',
    params,
    query,
    target: ofUnit,
    also: ({ target }) => [{ action: 'vars:read-sensitive', resource: target }],
    takesRunTokens: true,
    isSecret: true,
    answers: {
      200: jsonAnswer(
        z.object({
          print: z.string().nullable().meta({
            description:
              'The same as long as no variable changes that applies to the unit. Null: there is none.',
          }),
          items: z.array(
            z.object({
              key: z.string(),
              category: z.string(),
              value: z.string(),
              sensitive: z.boolean(),
              hcl: z.boolean(),
              priority: z.boolean().meta({ description: 'It overrides what code and dependencies say.' }),
            }),
          ),
        }),
        'The strongest of each key',
      ),
    },
    async handle({ target, caller }, { unitVariables }) {
      const { print, items } = await unitVariables.forRun(await unitVariables.find(target, caller))
      return { status: 200, json: { print, items: [...items] } }
    },
  }),
]
