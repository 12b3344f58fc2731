import { z } from 'zod'
import type { AdoptFinding as Finding } from '../../../state/index.ts'
import { NoQuery, OrgQuery, jsonAnswer, jsonBody } from '../openapi/api.ts'
import { defined } from '../kit/drop-undefined.ts'
import { AdoptFinding, DoctorFinding, GcReport } from '../openapi/openapi-schemas.ts'
import { ndjson } from './events/ndjson.ts'
import { Problem } from '../kit/response/problem.ts'
import { ofOrg, ofServer, route } from './define.ts'

const tags = ['upkeep']
const ErrorLine = z.object({ error: Problem })
const Summary = z.object({
  adopted: z.number().int(),
  wouldAdopt: z.number().int(),
  alreadyAdopted: z.number().int(),
  skipped: z.number().int(),
  warnings: z.array(z.string()).meta({ description: 'Warnings about this kind of bucket.' }),
})
/** The API sees the bucket only; `taco adopt` also looks into the code, where there is some. */
const UNSEEN_LOCKS =
  'locks that engines keep in DynamoDB cannot be seen from the bucket: every backend "s3" that shares it needs use_lockfile = true in place of dynamodb_table'

export const upkeepRoutes = [
  route({
    method: 'POST',
    path: '/v1/adopt',
    id: 'adoptStates',
    action: 'org:admin',
    tags,
    summary: 'Create a unit for every state object in the bucket, without changing the objects',
    query: OrgQuery,
    body: jsonBody(
      z.strictObject({
        under: z.string().optional().meta({ description: 'Only keys that begin with this.' }),
        as: z.string().optional().meta({
          description: 'Names of the units; {path} is replaced by the path of the state.',
          example: 'prod/{path}',
        }),
        dryRun: z.boolean().default(false),
      }),
    ),
    answers: {
      200: {
        description: 'One finding per line; the last line is a summary or an error',
        content: {
          'application/x-ndjson': {
            schema: z.union([AdoptFinding, z.object({ summary: Summary }), ErrorLine]),
          },
        },
      },
    },
    target: ofOrg,
    async handle({ target, body, x, caller }, { control, about, log }) {
      const counts = { adopted: 0, 'would-adopt': 0, 'already-adopted': 0, skipped: 0 }
      const options = { ...defined(body), org: target.org }
      const findings = counted(control.upkeep.adopt(options, { ...caller, signal: x.signal }), counts)
      const last = () => ({
        summary: {
          adopted: counts.adopted,
          wouldAdopt: counts['would-adopt'],
          alreadyAdopted: counts['already-adopted'],
          skipped: counts.skipped,
          warnings: about.bucket.kind === 's3' ? [UNSEEN_LOCKS] : [],
        },
      })
      return { status: 200, ...ndjson(findings, { x, log, last }) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/gc',
    id: 'collectGarbage',
    action: 'org:admin',
    tags,
    summary: 'Apply retention',
    query: z.strictObject({ org: z.string().optional() }),
    body: jsonBody(z.strictObject({ dryRun: z.boolean().default(false) })),
    answers: { 200: jsonAnswer(GcReport, 'What was removed') },
    target: ({ query }) => query,
    async handle({ body, query, x, caller }, { control }) {
      const options = { ...body, ...defined(query) }
      return { status: 200, json: await control.upkeep.gc(options, { ...caller, signal: x.signal }) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/doctor',
    id: 'runDoctor',
    action: 'server:admin',
    tags,
    summary: 'Check the bucket, and repair what can be repaired',
    query: NoQuery,
    body: jsonBody(z.strictObject({ deep: z.boolean().default(false), repair: z.boolean().default(false) })),
    answers: {
      200: {
        description: 'One finding per line',
        content: { 'application/x-ndjson': { schema: z.union([DoctorFinding, ErrorLine]) } },
      },
    },
    target: ofServer,
    handle({ body, x, caller }, { control, rollouts, log }) {
      async function* findings() {
        yield* control.upkeep.doctor(body, { ...caller, signal: x.signal })
        if (body.deep) yield* rollouts.doctor(caller)
      }
      return { status: 200, ...ndjson(findings(), { x, log }) }
    },
  }),
]

async function* counted(
  findings: AsyncIterable<Finding>,
  counts: Record<Finding['outcome'], number>,
): AsyncGenerator<Finding> {
  for await (const finding of findings) {
    counts[finding.outcome]++
    yield finding
  }
}
