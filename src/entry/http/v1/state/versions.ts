import { z } from 'zod'
import {
  Idempotent,
  IfStateMatch,
  Limit,
  OrgQuery,
  UnitParams,
  jsonAnswer,
  jsonBody,
} from '../../openapi/api.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { expectedBy } from '../../kit/response/etag.ts'
import { Absence, DamagedVersion, StateDiff, Version } from '../../openapi/openapi-schemas.ts'
import { ofUnit, route } from '../define.ts'

const tags = ['versions']
const params = UnitParams
const VersionName = z
  .string()
  .min(1)
  .meta({ description: 'An id (sv-…), a sequence number, "current" or "previous".' })

export const versionRoutes = [
  route({
    method: 'GET',
    path: '/v1/units/{unit}/versions',
    id: 'listVersions',
    action: 'versions:read',
    tags,
    summary: 'List versions, newest first',
    params,
    query: OrgQuery.extend({ limit: Limit, cursor: z.string().optional() }),
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(Version),
          next: z.string().nullable(),
          damaged: z
            .array(DamagedVersion)
            .meta({ description: 'Versions in this range that cannot be read from the bucket.' }),
          absences: z.array(Absence).meta({
            description:
              'When the state or the unit was deleted, or the state was missing, after one of these versions. Newest first.',
          }),
        }),
        'A page',
      ),
    },
    target: ofUnit,
    async handle({ target, query: { org: _, ...page }, caller }, { control }) {
      const { items, next, damaged, absences } = await control.versions.list(target, defined(page), caller)
      return {
        status: 200,
        json: { items: [...items], next: next ?? null, damaged: [...damaged], absences: [...absences] },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/units/{unit}/versions/{version}',
    id: 'getVersion',
    action: 'versions:read',
    tags,
    summary: 'Show a version',
    params: UnitParams.extend({ version: VersionName }),
    query: OrgQuery,
    answers: { 200: jsonAnswer(Version, 'The version') },
    target: ofUnit,
    handle: async ({ target, params, caller }, { control }) => ({
      status: 200,
      json: await control.versions.get(target, params.version, caller),
    }),
  }),
  route({
    method: 'GET',
    path: '/v1/units/{unit}/diff',
    id: 'diffVersions',
    action: 'versions:read-state',
    tags,
    summary: 'Compare two versions; sensitive values are masked',
    params,
    query: OrgQuery.extend({ from: VersionName.default('previous'), to: VersionName.default('current') }),
    answers: { 200: jsonAnswer(StateDiff, 'The differences') },
    target: ofUnit,
    isSecret: true,
    handle: async ({ target, query: { from, to }, caller }, { control }) => ({
      status: 200,
      type: 'application/json',
      text: await control.versions.diff(target, from, to, caller),
    }),
  }),
  route({
    method: 'POST',
    path: '/v1/units/{unit}/rollback',
    id: 'rollBackUnit',
    action: 'state:rollback',
    tags,
    summary: 'Roll back: store the content of an old version as a new version with the next serial',
    params,
    query: OrgQuery,
    headers: IfStateMatch.extend(Idempotent.shape),
    body: jsonBody(
      z.strictObject({
        version: VersionName,
        lock: z.string().min(1).optional(),
        message: z.string().max(1000).optional(),
        keepSerial: z.boolean().optional().meta({
          description: 'For an encrypted state, whose serial cannot be raised: keep the old serial.',
        }),
      }),
    ),
    answers: { 201: jsonAnswer(Version, 'The new version') },
    target: ofUnit,
    async handle({ target, body, headers, caller }, { control }) {
      const { version, lock, message, keepSerial } = body
      const options = defined({ lockId: lock, message, keepSerial, expected: expectedBy(headers) })
      return { status: 201, json: await control.versions.rollback(target, version, options, caller) }
    },
  }),
]
