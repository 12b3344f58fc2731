import type { Dependencies } from '../../../graph/index.ts'
import { DependenciesView, DependencyChange } from '../../../graph/index.ts'
import {
  type Api,
  Idempotent,
  OrgQuery,
  PROBLEMS,
  UnitParams,
  createRoute,
  jsonAnswer,
  jsonBody,
  refOf,
  z,
} from '../openapi/api.ts'
import { defined } from '../kit/drop-undefined.ts'

const tags = ['graph']
const params = UnitParams
const path = '/v1/units/{unit}/dependencies'
const Listed = DependenciesView.meta({ id: 'Dependencies' })
const Changed = DependencyChange.meta({ id: 'DependencyChange' })
const Output = z.string().min(1).max(500)

const list = createRoute({
  method: 'get',
  path,
  tags,
  summary: 'What a unit uses, and what uses it',
  request: { params, query: OrgQuery },
  responses: { 200: jsonAnswer(Listed, 'Declared, found in code, or seen in what was read'), ...PROBLEMS },
})

const add = createRoute({
  method: 'post',
  path,
  tags,
  summary: 'Declare that a unit uses another; a cycle is refused',
  request: {
    params,
    query: OrgQuery,
    body: jsonBody(
      z.strictObject({
        on: z.string().min(1).meta({ description: 'Name or id of the unit used.' }),
        outputs: z
          .array(Output)
          .max(1000)
          .optional()
          .meta({ description: 'The outputs used; all without. Empty: none, only the order counts.' }),
        inputs: z
          .record(z.string().min(1), Output)
          .optional()
          .meta({ description: 'Variable of this unit → output of that one.' }),
      }),
    ),
  },
  responses: { 200: jsonAnswer(Changed, 'Declared'), ...PROBLEMS },
})

const remove = createRoute({
  method: 'delete',
  path,
  tags,
  summary: 'Take back what was declared',
  request: {
    headers: Idempotent,
    params,
    query: OrgQuery.extend({
      on: z.string().min(1).meta({ description: 'Name or id of the unit used.' }),
      outputs: z.string().optional().meta({ description: 'Only these, separated by commas.' }),
    }),
  },
  responses: { 200: jsonAnswer(Changed, 'What is left'), ...PROBLEMS },
})

export function addDependencies(api: Api, dependencies: Dependencies): void {
  api.openapi(list, async (c) =>
    c.json(await dependencies.list(refOf(c.req.valid('param'), c.req.valid('query'))), 200),
  )
  api.openapi(add, async (c) => {
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    return c.json(await dependencies.add(ref, defined(c.req.valid('json')), c.env.exchange.caller), 200)
  })
  api.openapi(remove, async (c) => {
    const { on, outputs, ...org } = c.req.valid('query')
    const ref = refOf(c.req.valid('param'), org)
    const names = outputs?.split(',').filter((name) => name !== '')
    const input = { on, ...(names === undefined ? {} : { outputs: names }) }
    return c.json(await dependencies.remove(ref, input, c.env.exchange.caller), 200)
  })
}
