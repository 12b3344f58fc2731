import type { Orgs } from '../../../state/index.ts'
import {
  type Api,
  Idempotent,
  IfMatch,
  Limit,
  NoQuery,
  PROBLEMS,
  RetentionInput,
  createRoute,
  conditionsOf,
  expectedOf,
  jsonAnswer,
  jsonBody,
  z,
} from '../openapi/api.ts'
import { defined } from '../kit/drop-undefined.ts'
import { etagOf, isUnchanged } from '../kit/response/etag.ts'
import { Organization } from '../openapi/openapi-schemas.ts'

const OrgParams = z.object({ org: z.string() })
const tags = ['organizations']

const list = createRoute({
  method: 'get',
  path: '/v1/orgs',
  tags,
  summary: 'List organizations',
  request: { query: z.strictObject({ limit: Limit, cursor: z.string().optional() }) },
  responses: {
    200: jsonAnswer(
      z.object({
        items: z.array(Organization),
        next: z.string().nullable(),
        damaged: z
          .array(z.string())
          .meta({ description: 'Names of those that are left out: their documents cannot be read.' }),
      }),
      'A page',
    ),
    ...PROBLEMS,
  },
})

const create = createRoute({
  method: 'post',
  path: '/v1/orgs',
  tags,
  summary: 'Create an organization',
  request: {
    headers: Idempotent,
    query: NoQuery,
    body: jsonBody(z.strictObject({ name: z.string(), retention: RetentionInput.optional() })),
  },
  responses: { 201: jsonAnswer(Organization, 'Created'), ...PROBLEMS },
})

const get = createRoute({
  method: 'get',
  path: '/v1/orgs/{org}',
  tags,
  summary: 'Show an organization',
  request: { params: OrgParams, query: NoQuery },
  responses: {
    200: jsonAnswer(Organization, 'The organization'),
    304: { description: 'As If-None-Match says' },
    ...PROBLEMS,
  },
})

const update = createRoute({
  method: 'patch',
  path: '/v1/orgs/{org}',
  tags,
  summary: 'Change an organization',
  request: {
    params: OrgParams,
    query: NoQuery,
    headers: IfMatch.extend(Idempotent.shape),
    body: jsonBody(z.strictObject({ retention: RetentionInput.nullable() })),
  },
  responses: { 200: jsonAnswer(Organization, 'Changed'), ...PROBLEMS },
})

export function addOrgs(api: Api, orgs: Orgs): void {
  api.openapi(list, async (c) => {
    const page = await orgs.list(defined(c.req.valid('query')))
    return c.json({ items: [...page.items], next: page.next ?? null, damaged: [...page.damaged] }, 200)
  })
  api.openapi(create, async (c) => {
    const { name, retention } = c.req.valid('json')
    const view = await orgs.create(
      { name, ...(retention === undefined ? {} : { retention: defined(retention) }) },
      c.env.exchange.caller,
    )
    return c.json(view, 201, { etag: etagOf(view.etag) })
  })
  api.openapi(get, async (c) => {
    const view = await orgs.get(c.req.valid('param').org)
    const etag = etagOf(view.etag)
    if (isUnchanged(conditionsOf(c.req), view.etag, `the organization ${view.name}`))
      return c.body(null, 304, { etag })
    return c.json(view, 200, { etag })
  })
  api.openapi(update, async (c) => {
    const { retention } = c.req.valid('json')
    const view = await orgs.update(
      c.req.valid('param').org,
      { retention },
      c.env.exchange.caller,
      expectedOf(c.req),
    )
    return c.json(view, 200, { etag: etagOf(view.etag) })
  })
}
