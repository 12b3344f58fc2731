import { z } from 'zod'
import { Flag, OrgQuery, UnitParams, jsonAnswer } from '../../openapi/api.ts'
import { checkReceiptWanted } from '../../auth/cross-site.ts'
import { ValuesAs, jsonText, valueAs } from '../../openapi/raw-json.ts'
import { ofUnit, route } from '../define.ts'

const UnitName = z.object({ id: z.string(), name: z.string() })

export const inputRoutes = [
  route({
    method: 'GET',
    path: '/v1/units/{unit}/inputs',
    id: 'getInputs',
    action: 'outputs:read',
    tags: ['outputs'],
    summary: 'Get the values of the variables of a unit from its dependencies; the read is recorded',
    params: UnitParams,
    query: OrgQuery.extend({
      values: ValuesAs,
      sensitive: Flag.meta({ description: 'Include the values of sensitive outputs.' }),
      complete: Flag.meta({
        description: 'Answer 403 and record nothing if a value would be left out.',
      }),
      peek: Flag.meta({ description: 'Only show the values; no read is recorded.' }),
    }),
    answers: {
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
                value: z.unknown().optional().meta({ description: 'Absent if the value is not included.' }),
              }),
            ),
          })
          .meta({ id: 'Inputs' }),
        'The inputs, by variable',
      ),
    },
    target: ofUnit,
    also: ({ query, target }) => [
      ...(query.peek ? [] : [{ action: 'reads:record', resource: target } as const]),
      ...(query.sensitive ? [{ action: 'outputs:read-sensitive', resource: target } as const] : []),
    ],
    isSecret: true,
    async handle({ target, query: { sensitive, complete, peek, values }, headers, caller }, { inputs }) {
      checkReceiptWanted(headers)
      const view = await inputs.resolve(target, { sensitive, complete, peek }, caller)
      const given = view.inputs.map(({ type, json, ...input }) => ({
        ...input,
        type: valueAs(values, type),
        ...(json === undefined ? {} : { value: valueAs(values, json) }),
      }))
      return { status: 200, type: 'application/json', text: jsonText({ unit: view.unit, inputs: given }) }
    },
  }),
]
