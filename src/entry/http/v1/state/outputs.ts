import { z } from 'zod'
import { OutputsDiffView, type OutputsCommitView } from '../../../../state/index.ts'
import { Flag, Limit, OrgQuery, Repeated, UnitParams, jsonAnswer } from '../../openapi/api.ts'
import { consumerOf, recordDemand } from '../../kit/consumer.ts'
import { checkReceiptWanted } from '../../auth/cross-site.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { OutputsCommit } from '../../openapi/openapi-schemas.ts'
import { ValuesAs, jsonText, valueAs } from '../../openapi/raw-json.ts'
import { ofUnit, route } from '../define.ts'

const tags = ['outputs']
const params = UnitParams
const Commit = z.coerce.number().int().min(0)

export const Names = Repeated.transform((given) =>
  given?.flatMap((text) => text.split(',')).filter((name) => name !== ''),
).meta({ description: 'Only these outputs: separated by commas, or repeated.' })

const Change = z.object({
  name: z.string(),
  sensitive: z.boolean(),
  digest: z.string(),
  since: z.number().int().meta({ description: 'The commit that introduced this digest.' }),
})

export const outputRoutes = [
  route({
    method: 'GET',
    path: '/v1/units/{unit}/outputs',
    id: 'getOutputs',
    action: 'outputs:read',
    tags,
    summary: 'Show the current outputs or those of an earlier commit; needs no access to the state',
    params,
    query: OrgQuery.extend({
      commit: Commit.optional(),
      names: Names,
      values: ValuesAs,
      sensitive: Flag.meta({
        description: 'Include the values of sensitive outputs, which are read from the state.',
      }),
      consumer: z.string().min(1).optional().meta({
        description: 'Record the read for this unit. The header X-Taco-Unit does the same.',
      }),
    }),
    answers: { 200: jsonAnswer(OutputsCommit, 'The outputs') },
    target: ofUnit,
    also: ({ query, headers, target }) => [
      ...recordDemand(consumerOf(query.consumer, headers, target), target),
      ...(query.sensitive ? [{ action: 'outputs:read-sensitive', resource: target } as const] : []),
    ],
    isSecret: true,
    async handle({ target, query, headers, caller }, { control }) {
      const { org: _, values, consumer: asked, ...options } = query
      const consumer = consumerOf(asked, headers, target)
      if (consumer !== undefined) checkReceiptWanted(headers)
      const view = await control.outputs.get(
        target,
        { ...defined(options), ...defined({ consumer }) },
        caller,
      )
      return { status: 200, type: 'application/json', text: jsonText(withValues(view, values)) }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/units/{unit}/outputs/log',
    id: 'listOutputsCommits',
    action: 'outputs:read',
    tags,
    summary: 'List outputs commits, newest first, without values',
    params,
    query: OrgQuery.extend({ limit: Limit, cursor: z.string().optional() }),
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(OutputsCommit.extend({ outputs: z.array(Change).nullable() })),
          next: z.string().nullable(),
        }),
        'A page',
      ),
    },
    target: ofUnit,
    async handle({ target, query: { org: _, ...page }, caller }, { control }) {
      const { items, next } = await control.outputs.log(target, defined(page), caller)
      return { status: 200, json: { items: items.map(withoutValues), next: next ?? null } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/units/{unit}/outputs/diff',
    id: 'diffOutputs',
    action: 'outputs:read',
    tags,
    summary: 'Compare the outputs of two commits, without reading a state',
    params,
    query: OrgQuery.extend({ from: Commit.optional(), to: Commit.optional(), only: Names }),
    answers: { 200: jsonAnswer(OutputsDiffView.meta({ id: 'OutputsDiff' }), 'The changes') },
    target: ofUnit,
    handle: async ({ target, query: { from, to, only }, caller }, { control }) => ({
      status: 200,
      json: await control.outputs.diff(target, defined({ from, to, names: only }), caller),
    }),
  }),
]

function withValues({ outputs, ...commit }: OutputsCommitView, form: 'json' | 'text'): object {
  return {
    ...commit,
    outputs:
      outputs?.map(({ type, json, ...output }) => ({
        ...output,
        type: valueAs(form, type),
        ...(json === undefined ? {} : { value: valueAs(form, json) }),
      })) ?? null,
  }
}

function withoutValues({ outputs, ...commit }: OutputsCommitView) {
  return {
    ...commit,
    outputs:
      outputs?.map(({ name, sensitive, digest, since }) => ({ name, sensitive, digest, since })) ?? null,
  }
}
