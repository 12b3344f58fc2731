import { OutputsDiffView, type Outputs, type OutputsCommitView } from '../../../state/index.ts'
import {
  type Api,
  Flag,
  Limit,
  OrgQuery,
  PROBLEMS,
  Repeated,
  UnitParams,
  createRoute,
  jsonAnswer,
  refOf,
  z,
} from '../openapi/api.ts'
import { consumerOf } from '../kit/consumer.ts'
import { checkReceiptWanted } from '../auth/cross-site.ts'
import { defined } from '../kit/drop-undefined.ts'
import { OutputsCommit } from '../openapi/openapi-schemas.ts'
import { ValuesAs, jsonText, valueAs } from '../openapi/raw-json.ts'

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
  since: z.number().int().meta({ description: 'The commit since which it has this digest.' }),
})

const get = createRoute({
  method: 'get',
  path: '/v1/units/{unit}/outputs',
  tags,
  summary: 'The outputs that stand, or those of an earlier commit; no right to read the state is needed',
  request: {
    params,
    query: OrgQuery.extend({
      commit: Commit.optional(),
      names: Names,
      values: ValuesAs,
      sensitive: Flag.meta({ description: 'With the values of sensitive outputs, out of the state.' }),
      consumer: z.string().min(1).optional().meta({
        description: 'The unit on whose behalf they are read: recorded as its read. Also as X-Taco-Unit.',
      }),
    }),
  },
  responses: { 200: jsonAnswer(OutputsCommit, 'The outputs'), ...PROBLEMS },
})

const log = createRoute({
  method: 'get',
  path: '/v1/units/{unit}/outputs/log',
  tags,
  summary: 'The commits of outputs, newest first, without values',
  request: { params, query: OrgQuery.extend({ limit: Limit, cursor: z.string().optional() }) },
  responses: {
    200: jsonAnswer(
      z.object({
        items: z.array(OutputsCommit.extend({ outputs: z.array(Change).nullable() })),
        next: z.string().nullable(),
      }),
      'A page',
    ),
    ...PROBLEMS,
  },
})

const diff = createRoute({
  method: 'get',
  path: '/v1/units/{unit}/outputs/diff',
  tags,
  summary: 'Have these outputs changed between two commits? No state is read for the answer',
  request: {
    params,
    query: OrgQuery.extend({ from: Commit.optional(), to: Commit.optional(), only: Names }),
  },
  responses: { 200: jsonAnswer(OutputsDiffView.meta({ id: 'OutputsDiff' }), 'What changed'), ...PROBLEMS },
})

export function addOutputs(api: Api, outputs: Outputs): void {
  api.openapi(get, async (c) => {
    const { org, values, consumer: _, ...options } = c.req.valid('query')
    const ref = refOf(c.req.valid('param'), { org })
    const consumer = consumerOf(c.req.query('consumer'), c.req.header('x-taco-unit'), ref)
    if (consumer.consumer !== undefined) checkReceiptWanted((name) => c.req.header(name))
    const view = await outputs.get(ref, { ...defined(options), ...consumer }, c.env.exchange.caller)
    return rawAnswer(jsonText(withValues(view, values)))
  })
  api.openapi(log, async (c) => {
    const { org, ...page } = c.req.valid('query')
    const { items, next } = await outputs.log(refOf(c.req.valid('param'), { org }), defined(page))
    return c.json({ items: items.map(withoutValues), next: next ?? null }, 200)
  })
  api.openapi(diff, async (c) => {
    const { org, only, ...range } = c.req.valid('query')
    const options = { ...defined(range), ...(only === undefined ? {} : { names: only }) }
    return c.json(await outputs.diff(refOf(c.req.valid('param'), { org }), options), 200)
  })
}

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

/** The framework types answers by what it would turn into JSON; this one is JSON already. */
export function rawAnswer(text: string | Uint8Array): never {
  return new Response(text, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  }) as never
}
