import type { Log } from '../../../base/log.ts'
import type { Rollouts } from '../../../rollouts/index.ts'
import type { AdoptFinding as Finding, DoctorFinding as Fault, Upkeep } from '../../../state/index.ts'
import {
  type Api,
  NoQuery,
  OrgQuery,
  PROBLEMS,
  createRoute,
  jsonAnswer,
  jsonBody,
  z,
} from '../openapi/api.ts'
import { defined } from '../kit/drop-undefined.ts'
import { AdoptFinding, DoctorFinding, GcReport } from '../openapi/openapi-schemas.ts'
import { ndjson } from './events/ndjson.ts'
import { Problem } from '../kit/response/problem.ts'

const tags = ['upkeep']
const ErrorLine = z.object({ error: Problem })
const Summary = z.object({
  adopted: z.number().int(),
  wouldAdopt: z.number().int(),
  alreadyAdopted: z.number().int(),
  skipped: z.number().int(),
  warnings: z.array(z.string()).meta({ description: 'What to take care of on this kind of bucket.' }),
})
/** The API sees the bucket only; `taco adopt` also looks into the code, where there is some. */
const UNSEEN_LOCKS =
  'locks that engines keep in DynamoDB cannot be seen from the bucket: every backend "s3" that shares it needs use_lockfile = true in place of dynamodb_table'

const adopt = createRoute({
  method: 'post',
  path: '/v1/adopt',
  tags,
  summary: 'Register every state object of the bucket as a unit, touching none of them',
  request: {
    query: OrgQuery,
    body: jsonBody(
      z.strictObject({
        under: z.string().optional().meta({ description: 'Only keys that begin with this.' }),
        as: z.string().optional().meta({
          description: 'Names of the units; {path} stands for the path found.',
          example: 'prod/{path}',
        }),
        dryRun: z.boolean().default(false),
      }),
    ),
  },
  responses: {
    200: {
      description: 'One finding per line; the last line is a summary, or what went wrong',
      content: {
        'application/x-ndjson': {
          schema: z.union([AdoptFinding, z.object({ summary: Summary }), ErrorLine]),
        },
      },
    },
    ...PROBLEMS,
  },
})

const gc = createRoute({
  method: 'post',
  path: '/v1/gc',
  tags,
  summary: 'Carry out retention',
  request: {
    query: z.strictObject({ org: z.string().optional() }),
    body: jsonBody(z.strictObject({ dryRun: z.boolean().default(false) })),
  },
  responses: { 200: jsonAnswer(GcReport, 'What was removed'), ...PROBLEMS },
})

const doctor = createRoute({
  method: 'post',
  path: '/v1/doctor',
  tags,
  summary: 'Find out what is wrong, and repair what can be',
  request: {
    query: NoQuery,
    body: jsonBody(z.strictObject({ deep: z.boolean().default(false), repair: z.boolean().default(false) })),
  },
  responses: {
    200: {
      description: 'One finding per line',
      content: { 'application/x-ndjson': { schema: z.union([DoctorFinding, ErrorLine]) } },
    },
    ...PROBLEMS,
  },
})

export function addUpkeep(
  api: Api,
  upkeep: Upkeep,
  {
    rollouts,
    log,
    bucketKind,
  }: { readonly rollouts: Pick<Rollouts, 'doctor'>; readonly log: Log; readonly bucketKind: string },
): void {
  async function* examined(...given: Parameters<Upkeep['doctor']>): AsyncGenerator<Fault> {
    yield* upkeep.doctor(...given)
    if (given[0].deep) yield* rollouts.doctor()
  }

  api.openapi(adopt, async (c) => {
    const { exchange } = c.env
    const counts = { adopted: 0, 'would-adopt': 0, 'already-adopted': 0, skipped: 0 }
    const options = { ...defined(c.req.valid('json')), org: c.req.valid('query').org }
    const findings = counted(upkeep.adopt(options, { ...exchange.caller, signal: exchange.signal }), counts)
    const last = () => ({
      summary: {
        adopted: counts.adopted,
        wouldAdopt: counts['would-adopt'],
        alreadyAdopted: counts['already-adopted'],
        skipped: counts.skipped,
        warnings: bucketKind === 's3' ? [UNSEEN_LOCKS] : [],
      },
    })
    return streamed(await ndjson(findings, exchange, { log, last }))
  })
  api.openapi(gc, async (c) => {
    const { exchange } = c.env
    const options = { ...c.req.valid('json'), ...defined(c.req.valid('query')) }
    return c.json(await upkeep.gc(options, { ...exchange.caller, signal: exchange.signal }), 200)
  })
  api.openapi(doctor, async (c) => {
    const { exchange } = c.env
    const findings = examined(c.req.valid('json'), { ...exchange.caller, signal: exchange.signal })
    return streamed(await ndjson(findings, exchange, { log }))
  })
}

/** The framework types answers by their JSON; a stream has none. */
function streamed(response: Response): never {
  return response as never
}

async function* counted(
  findings: AsyncIterable<Finding>,
  counts: Record<Finding['outcome'], number>,
): AsyncGenerator<Finding> {
  for await (const finding of findings) {
    counts[finding.outcome]++
    yield finding
  }
}
