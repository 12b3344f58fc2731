import type { Versions } from '../../../state/index.ts'
import {
  type Api,
  Idempotent,
  IfStateMatch,
  Limit,
  OrgQuery,
  PROBLEMS,
  UnitParams,
  createRoute,
  expectedOf,
  jsonAnswer,
  jsonBody,
  refOf,
  z,
} from '../openapi/api.ts'
import { defined } from '../kit/drop-undefined.ts'
import { Absence, DamagedVersion, StateDiff, Version } from '../openapi/openapi-schemas.ts'
import { rawAnswer } from './outputs.ts'

const tags = ['versions']
const params = UnitParams
const VersionName = z
  .string()
  .min(1)
  .meta({ description: 'An id (sv-…), a sequence number, "current" or "previous".' })

const list = createRoute({
  method: 'get',
  path: '/v1/units/{unit}/versions',
  tags,
  summary: 'The history, newest first',
  request: { params, query: OrgQuery.extend({ limit: Limit, cursor: z.string().optional() }) },
  responses: {
    200: jsonAnswer(
      z.object({
        items: z.array(Version),
        next: z.string().nullable(),
        damaged: z
          .array(DamagedVersion)
          .meta({ description: 'Versions that should be among these and cannot be read from the bucket.' }),
        absences: z.array(Absence).meta({
          description:
            'When the state or the unit was deleted, or the state was missing, after one of these versions. Newest first.',
        }),
      }),
      'A page',
    ),
    ...PROBLEMS,
  },
})

const get = createRoute({
  method: 'get',
  path: '/v1/units/{unit}/versions/{version}',
  tags,
  summary: 'Show a version',
  request: { params: UnitParams.extend({ version: VersionName }), query: OrgQuery },
  responses: { 200: jsonAnswer(Version, 'The version'), ...PROBLEMS },
})

const diff = createRoute({
  method: 'get',
  path: '/v1/units/{unit}/diff',
  tags,
  summary: 'What changed between two versions; sensitive values are masked',
  request: {
    params,
    query: OrgQuery.extend({ from: VersionName.default('previous'), to: VersionName.default('current') }),
  },
  responses: { 200: jsonAnswer(StateDiff, 'The differences'), ...PROBLEMS },
})

const rollback = createRoute({
  method: 'post',
  path: '/v1/units/{unit}/rollback',
  tags,
  summary: 'Make the content of an old version current, as a new version with the next serial',
  request: {
    params,
    query: OrgQuery,
    headers: IfStateMatch.extend(Idempotent.shape),
    body: jsonBody(
      z.strictObject({
        version: VersionName,
        lock: z.string().min(1).optional(),
        message: z.string().max(1000).optional(),
        keepSerial: z.boolean().optional().meta({
          description:
            'For an encrypted state, whose serial cannot be raised: bring it back under its old one.',
        }),
      }),
    ),
  },
  responses: { 201: jsonAnswer(Version, 'The version that was made'), ...PROBLEMS },
})

export function addVersions(api: Api, versions: Versions): void {
  api.openapi(list, async (c) => {
    const { org, ...page } = c.req.valid('query')
    const ref = refOf(c.req.valid('param'), { org })
    const { items, next, damaged, absences } = await versions.list(ref, defined(page))
    return c.json(
      { items: [...items], next: next ?? null, damaged: [...damaged], absences: [...absences] },
      200,
    )
  })
  api.openapi(get, async (c) => {
    const { version, ...unit } = c.req.valid('param')
    return c.json(await versions.get(refOf(unit, c.req.valid('query')), version), 200)
  })
  api.openapi(diff, async (c) => {
    const { from, to, ...org } = c.req.valid('query')
    return rawAnswer(await versions.diff(refOf(c.req.valid('param'), org), from, to))
  })
  api.openapi(rollback, async (c) => {
    const { version, lock, message, keepSerial } = c.req.valid('json')
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    const options = defined({ lockId: lock, message, keepSerial, expected: expectedOf(c.req) })
    return c.json(await versions.rollback(ref, version, options, c.env.exchange.caller), 201)
  })
}
