import type { Sync } from '../../../project/index.ts'
import { type Api, OrgQuery, PROBLEMS, createRoute, jsonAnswer, jsonBody, z } from '../openapi/api.ts'

const Uses = z.object({
  outputs: z.array(z.string()).nullable().default(null).meta({ description: 'Null: all.' }),
  inputs: z.record(z.string(), z.string()).default({}).meta({ description: 'Variable → output.' }),
})

const Change = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('unit'), unit: z.string(), labels: z.record(z.string(), z.string()) }),
  z.object({
    kind: z.literal('label'),
    unit: z.string(),
    label: z.string(),
    before: z.string().nullable(),
    after: z.string(),
  }),
  z.object({
    kind: z.literal('dependency'),
    unit: z.string(),
    on: z.string(),
    before: Uses.nullable(),
    after: Uses.nullable(),
  }),
])

const sync = createRoute({
  method: 'post',
  path: '/v1/sync',
  tags: ['graph'],
  summary: 'Make units, labels and dependencies as a project says; edges that people declared stay',
  request: {
    query: OrgQuery,
    body: jsonBody(
      z.strictObject({
        dryRun: z.boolean().default(false),
        units: z
          .array(
            z.strictObject({
              name: z.string(),
              labels: z.record(z.string(), z.string()).default({}),
              dependencies: z.array(Uses.extend({ on: z.string() }).strict()).default([]),
            }),
          )
          .max(20_000),
      }),
    ),
  },
  responses: {
    200: jsonAnswer(
      z.object({ dryRun: z.boolean(), changes: z.array(Change), warnings: z.array(z.string()) }),
      'What changed, or with dryRun what would',
    ),
    ...PROBLEMS,
  },
})

export function addSync(api: Api, service: Sync): void {
  api.openapi(sync, async (c) => {
    const { units, dryRun } = c.req.valid('json')
    const { org } = c.req.valid('query')
    const { changes, warnings } = await service.sync(org, units, { dryRun }, c.env.exchange.caller)
    return c.json(
      { dryRun, changes: changes.map((change) => Change.parse(change)), warnings: [...warnings] },
      200,
    )
  })
}
