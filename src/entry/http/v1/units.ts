import { badRequest, isTacoError } from '../../../base/errors.ts'
import type { Dependencies } from '../../../graph/index.ts'
import type { UnitRef, Units } from '../../../state/index.ts'
import {
  type Api,
  Idempotent,
  Flag,
  IfMatch,
  Limit,
  OrgQuery,
  PROBLEMS,
  Repeated,
  RetentionInput,
  UnitParams,
  createRoute,
  conditionsOf,
  expectedOf,
  jsonAnswer,
  jsonBody,
  refOf,
  z,
} from '../openapi/api.ts'
import { defined } from '../kit/drop-undefined.ts'
import { etagOf, isUnchanged } from '../kit/response/etag.ts'
import { Unit } from '../openapi/openapi-schemas.ts'

const tags = ['units']
const params = UnitParams
const query = OrgQuery

const change = {
  description: z.string().max(2000).optional(),
  allowDecrypt: z.boolean().optional(),
}

const list = createRoute({
  method: 'get',
  path: '/v1/units',
  tags,
  summary: 'List units by name',
  request: {
    query: OrgQuery.extend({
      limit: Limit,
      cursor: z.string().optional(),
      prefix: z.string().optional().meta({ description: 'Names that start with this.' }),
      search: z.string().optional().meta({ description: 'Names that contain this.' }),
      label: Repeated.meta({ description: 'name=value; may be repeated, all must fit.' }),
      deleted: z.enum(['no', 'only']).optional(),
    }),
  },
  responses: {
    200: jsonAnswer(
      z.object({
        items: z.array(Unit),
        next: z.string().nullable(),
        asOf: z.iso.datetime(),
        damaged: z.int().meta({ description: 'Units that are left out: their documents cannot be read.' }),
      }),
      'A page',
    ),
    ...PROBLEMS,
  },
})

const create = createRoute({
  method: 'post',
  path: '/v1/units',
  tags,
  summary: 'Create a unit',
  request: {
    headers: Idempotent,
    query,
    body: jsonBody(
      z.strictObject({
        name: z.string(),
        key: z
          .string()
          .optional()
          .meta({ description: 'Where its state lies in the bucket; <name>/terraform.tfstate by default.' }),
        labels: z.record(z.string(), z.string()).optional(),
        retention: RetentionInput.optional(),
        ...change,
      }),
    ),
  },
  responses: { 201: jsonAnswer(Unit, 'Created'), ...PROBLEMS },
})

const get = createRoute({
  method: 'get',
  path: '/v1/units/{unit}',
  tags,
  summary: 'Show a unit',
  request: { params, query },
  responses: {
    200: jsonAnswer(Unit, 'The unit'),
    304: { description: 'As If-None-Match says' },
    ...PROBLEMS,
  },
})

const update = createRoute({
  method: 'patch',
  path: '/v1/units/{unit}',
  tags,
  summary: 'Change description, labels and settings',
  request: {
    params,
    query,
    headers: IfMatch.extend(Idempotent.shape),
    body: jsonBody(
      z.strictObject({
        labels: z
          .record(z.string(), z.string().nullable())
          .optional()
          .meta({ description: 'Merged; null removes a label.' }),
        retention: RetentionInput.nullable().optional(),
        ...change,
      }),
    ),
  },
  responses: { 200: jsonAnswer(Unit, 'Changed'), ...PROBLEMS },
})

const remove = createRoute({
  method: 'delete',
  path: '/v1/units/{unit}',
  tags,
  summary: 'Delete a unit; restore brings it back',
  request: { params, headers: IfMatch.extend(Idempotent.shape), query: OrgQuery.extend({ force: Flag }) },
  responses: {
    200: jsonAnswer(
      Unit.extend({
        warnings: z.array(z.string()).meta({ description: 'Units that use it, or why that cannot be told.' }),
      }),
      'Deleted; refused while resources remain unless forced',
    ),
    ...PROBLEMS,
  },
})

const rename = createRoute({
  method: 'post',
  path: '/v1/units/{unit}/rename',
  tags,
  summary: 'Give a unit another name; its state stays where it is',
  request: {
    params,
    query,
    headers: IfMatch.extend(Idempotent.shape),
    body: jsonBody(z.strictObject({ name: z.string() })),
  },
  responses: { 200: jsonAnswer(Unit, 'Renamed'), ...PROBLEMS },
})

const restore = createRoute({
  method: 'post',
  path: '/v1/units/{unit}/restore',
  tags,
  summary: 'Bring a deleted unit back',
  request: {
    headers: Idempotent,
    params,
    query,
    body: jsonBody(z.strictObject({ name: z.string().optional() })),
  },
  responses: { 200: jsonAnswer(Unit, 'Restored'), ...PROBLEMS },
})

export function addUnits(api: Api, units: Units, dependencies: Pick<Dependencies, 'usersOf'>): void {
  api.openapi(list, async (c) => {
    const { label, ...rest } = c.req.valid('query')
    const page = await units.list({
      ...defined(rest),
      ...(label === undefined ? {} : { labels: labelsOf(label) }),
    })
    return c.json(
      {
        items: [...page.items],
        next: page.next ?? null,
        asOf: new Date(page.asOf).toISOString(),
        damaged: page.damaged,
      },
      200,
    )
  })
  api.openapi(create, async (c) => {
    const input = { ...defined(c.req.valid('json')), org: c.req.valid('query').org }
    const view = await units.create(input, c.env.exchange.caller)
    return c.json(view, 201, { etag: etagOf(view.etag) })
  })
  api.openapi(get, async (c) => {
    const view = await units.get(refOf(c.req.valid('param'), c.req.valid('query')))
    const etag = etagOf(view.etag)
    if (isUnchanged(conditionsOf(c.req), view.etag, `the unit ${view.name}`))
      return c.body(null, 304, { etag })
    return c.json(view, 200, { etag })
  })
  api.openapi(update, async (c) => {
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    const view = await units.update(
      ref,
      defined(c.req.valid('json')),
      c.env.exchange.caller,
      expectedOf(c.req),
    )
    return c.json(view, 200, { etag: etagOf(view.etag) })
  })
  api.openapi(remove, async (c) => {
    const { force, ...org } = c.req.valid('query')
    const ref = refOf(c.req.valid('param'), org)
    const used = await sayUsers(dependencies, ref)
    const view = await units.remove(ref, { force }, c.env.exchange.caller, expectedOf(c.req))
    const warnings = used === undefined ? [] : [`${view.name} ${used}`]
    return c.json({ ...view, warnings }, 200, { etag: etagOf(view.etag) })
  })
  api.openapi(rename, async (c) => {
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    const view = await units.rename(ref, c.req.valid('json').name, c.env.exchange.caller, expectedOf(c.req))
    return c.json(view, 200, { etag: etagOf(view.etag) })
  })
  api.openapi(restore, async (c) => {
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    const view = await units.restore(ref, defined(c.req.valid('json')), c.env.exchange.caller)
    return c.json(view, 200, { etag: etagOf(view.etag) })
  })
}

function labelsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw badRequest('label', `"${text}" is not name=value`, 'Write label=team=network.')
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}

/** Damage of another unit hides who uses this one, which is no reason to keep it. */
async function sayUsers(
  dependencies: Pick<Dependencies, 'usersOf'>,
  ref: UnitRef,
): Promise<string | undefined> {
  try {
    const users = (await dependencies.usersOf(ref)).map(({ name }) => name)
    return users.length === 0 ? undefined : `is used by ${users.join(', ')}`
  } catch (error) {
    // Whether there is such a unit, the deletion itself tells: this very request may have deleted it.
    if (isTacoError(error, 'NOT_FOUND')) return undefined
    if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) throw error
    return `may be used by others: ${error.message}`
  }
}
