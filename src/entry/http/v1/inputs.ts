import type { Inputs } from '../../../graph/index.ts'
import {
  type Api,
  Flag,
  OrgQuery,
  PROBLEMS,
  UnitParams,
  createRoute,
  jsonAnswer,
  refOf,
  z,
} from '../openapi/api.ts'
import { checkReceiptWanted } from '../auth/cross-site.ts'
import { rawAnswer } from './outputs.ts'
import { ValuesAs, jsonText, valueAs } from '../openapi/raw-json.ts'

const UnitName = z.object({ id: z.string(), name: z.string() })

const get = createRoute({
  method: 'get',
  path: '/v1/units/{unit}/inputs',
  tags: ['outputs'],
  summary: 'The values that the declared dependencies of a unit give to its variables; recorded as its reads',
  request: {
    params: UnitParams,
    query: OrgQuery.extend({
      values: ValuesAs,
      sensitive: Flag.meta({ description: 'With the values of sensitive outputs.' }),
      complete: Flag.meta({
        description: 'Refuse with 403 if a value would be left out; nothing is recorded then.',
      }),
      peek: Flag.meta({ description: 'Only to look at the values: no read is recorded.' }),
    }),
  },
  responses: {
    200: jsonAnswer(
      z
        .object({
          unit: UnitName,
          inputs: z.array(
            z.object({
              variable: z.string(),
              from: UnitName,
              output: z.string(),
              commit: z.number().int(),
              sensitive: z.boolean(),
              type: z.unknown(),
              value: z.unknown().optional().meta({ description: 'Absent when it is not served.' }),
            }),
          ),
        })
        .meta({ id: 'Inputs' }),
      'The inputs, by variable',
    ),
    ...PROBLEMS,
  },
})

export function addInputs(api: Api, inputs: Inputs): void {
  api.openapi(get, async (c) => {
    checkReceiptWanted((name) => c.req.header(name))
    const { sensitive, complete, peek, values, ...org } = c.req.valid('query')
    const ref = refOf(c.req.valid('param'), org)
    const view = await inputs.resolve(ref, { sensitive, complete, peek }, c.env.exchange.caller)
    const given = view.inputs.map(({ type, json, ...input }) => ({
      ...input,
      type: valueAs(values, type),
      ...(json === undefined ? {} : { value: valueAs(values, json) }),
    }))
    return rawAnswer(jsonText({ unit: view.unit, inputs: given }))
  })
}
