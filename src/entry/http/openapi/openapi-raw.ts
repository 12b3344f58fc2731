import {
  type Api,
  Idempotent,
  IfStateMatch,
  OrgQuery,
  PROBLEMS,
  UnitParams,
  createRoute,
  jsonAnswer,
  z,
} from './api.ts'
import { LockInfo, Version } from './openapi-schemas.ts'
import {
  BackendDeleteQuery,
  BackendLockQuery,
  BackendQuery,
  BackendReadQuery,
  StateChangeQuery,
  StateReadQuery,
  StateWriteQuery,
} from './queries.ts'

/**
 * The routes that are answered without the application, for the document. OpenAPI 3.1 knows no LOCK and UNLOCK, so
 * those are registered here as what they are and moved aside when the document is made.
 */
const State = z.string().meta({ type: 'string', format: 'binary', description: 'The state, byte for byte' })
const state = { content: { 'application/json': { schema: State } } }
const tags = ['states']
const backend = { path: '/v1/backend/{org}/{unit}', tags: ['http backend'] }
const BackendParams = z.object({
  org: z.string(),
  unit: z.string().meta({
    description: 'The path of the unit; its slashes are plain slashes.',
    example: 'prod/network/vpc',
  }),
})
const Md5 = z.object({
  'content-md5': z.string().optional().meta({ description: 'Base64; another one is refused.' }),
})
const Guarded = IfStateMatch.extend({
  'if-none-match': z.string().optional().meta({ description: '"*": only where there is no state yet.' }),
})
const { content } = jsonAnswer(LockInfo, '')
const Held = {
  description: 'Somebody else holds the lock: their lock info. Anything else: a problem',
  content: { ...content, ...PROBLEMS.default.content },
}

export function documentRawRoutes(api: Api): void {
  const held = { 409: Held, 423: Held, ...PROBLEMS }
  const routes = [
    createRoute({
      ...backend,
      method: 'get',
      summary: 'Read the state',
      request: { params: BackendParams, query: BackendReadQuery },
      responses: {
        200: { description: 'The state', ...state },
        304: { description: 'As If-None-Match says' },
        ...PROBLEMS,
      },
    }),
    ...(['post', 'put'] as const).map((method) =>
      createRoute({
        ...backend,
        method,
        summary: 'Write the state',
        request: {
          params: BackendParams,
          query: BackendQuery,
          headers: Guarded.extend(Md5.shape),
          body: { ...state, required: true },
        },
        responses: { 200: jsonAnswer(Version, 'Written'), ...held },
      }),
    ),
    createRoute({
      ...backend,
      method: 'delete',
      summary: 'Delete the state',
      request: { params: BackendParams, query: BackendDeleteQuery, headers: IfStateMatch },
      responses: { 200: { description: 'Deleted' }, ...held },
    }),
    createRoute({
      ...backend,
      method: 'lock' as 'post',
      summary: 'Take the lock',
      request: {
        params: BackendParams,
        query: BackendLockQuery,
        body: { content: { 'application/json': { schema: LockInfo } }, required: true },
      },
      responses: { 200: jsonAnswer(LockInfo, 'Locked'), ...held },
    }),
    createRoute({
      ...backend,
      method: 'unlock' as 'post',
      summary: 'Let the lock go; without a body, break it',
      request: {
        params: BackendParams,
        query: BackendQuery,
        body: { content: { 'application/json': { schema: LockInfo } } },
      },
      responses: { 200: { description: 'Free' }, ...held },
    }),
    createRoute({
      method: 'get',
      path: '/v1/units/{unit}/state',
      tags,
      summary: 'Read the state',
      request: { params: UnitParams, query: StateReadQuery },
      responses: {
        200: { description: 'The state', ...state },
        304: { description: 'As If-None-Match says' },
        ...PROBLEMS,
      },
    }),
    createRoute({
      method: 'put',
      path: '/v1/units/{unit}/state',
      tags,
      summary: 'Write the state; creates the unit on first use',
      request: {
        params: UnitParams,
        query: StateWriteQuery,
        headers: Guarded.extend(Md5.shape).extend(Idempotent.shape),
        body: { ...state, required: true },
      },
      responses: { 201: jsonAnswer(Version, 'Written'), ...PROBLEMS },
    }),
    createRoute({
      method: 'delete',
      path: '/v1/units/{unit}/state',
      tags,
      summary: 'Delete the state; its history stays',
      request: {
        params: UnitParams,
        query: StateChangeQuery,
        headers: IfStateMatch.extend(Idempotent.shape),
      },
      responses: { 204: { description: 'Deleted' }, ...PROBLEMS },
    }),
    createRoute({
      method: 'get',
      path: '/v1/units/{unit}/versions/{version}/state',
      tags,
      summary: 'Read the state as it was',
      request: { params: UnitParams.extend({ version: z.string() }), query: OrgQuery },
      responses: {
        200: { description: 'The state', ...state },
        304: { description: 'As If-None-Match says' },
        ...PROBLEMS,
      },
    }),
  ]
  for (const route of routes) api.openAPIRegistry.registerPath(route)
}
