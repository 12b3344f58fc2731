import { z } from 'zod'
import { OrgQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { ofOrg, route } from '../define.ts'
import { checkRuleLabels } from '../../kit/rule-labels.ts'

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

export const syncRoutes = [
  route({
    method: 'POST',
    path: '/v1/sync',
    id: 'syncProject',
    action: 'graph:write',
    isFiltered: true,
    tags: ['graph'],
    summary: 'Apply the units, labels and dependencies of a project; edges declared by hand are kept',
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
    answers: {
      200: jsonAnswer(
        z.object({ dryRun: z.boolean(), changes: z.array(Change), warnings: z.array(z.string()) }),
        'The changes, or with dryRun the changes that would be made',
      ),
    },
    target: ofOrg,
    also: ({ body, target: { org } }) =>
      body.units.flatMap(({ name, dependencies }) => {
        const resource = { org, unit: name }
        return [
          { action: 'graph:write', resource } as const,
          ...(body.dryRun ? [] : [{ action: 'unit:create', resource } as const]),
          ...dependencies.map(({ on }) => ({ action: 'unit:read', resource: { org, unit: on } }) as const),
        ]
      }),
    async handle({ target: { org }, body: { units, dryRun }, caller }, services) {
      const labelled = units.map(({ name, labels }) => ({ org, unit: name, labels }))
      if (!dryRun) await checkRuleLabels(services, labelled, caller)
      const { changes, warnings } = await services.sync.sync(org, units, { dryRun }, caller)
      return {
        status: 200,
        json: { dryRun, changes: changes.map((change) => Change.parse(change)), warnings: [...warnings] },
      }
    },
  }),
]
