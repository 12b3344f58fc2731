import type { Clock } from '../../../base/clock.ts'
import { isoTime } from '../../../base/clock.ts'
import { badRequest } from '../../../base/errors.ts'
import type { Ids } from '../../../base/ids.ts'
import type { Locks } from '../../../state/index.ts'
import {
  type Api,
  Idempotent,
  Flag,
  OrgQuery,
  PROBLEMS,
  UnitParams,
  createRoute,
  jsonAnswer,
  jsonBody,
  refOf,
  z,
} from '../openapi/api.ts'
import { Lock } from '../openapi/openapi-schemas.ts'

const tags = ['locks']
const params = UnitParams
const query = OrgQuery
const LeaseMs = z.number().int().min(1000).max(86_400_000)

const get = createRoute({
  method: 'get',
  path: '/v1/units/{unit}/lock',
  tags,
  summary: 'Who holds the lock',
  request: { params, query },
  responses: {
    200: jsonAnswer(z.object({ lock: z.union([Lock, z.null()]) }), 'The lock; null when free'),
    ...PROBLEMS,
  },
})

const lock = createRoute({
  method: 'post',
  path: '/v1/units/{unit}/lock',
  tags,
  summary: 'Take the lock; again with the same id is fine',
  request: {
    headers: Idempotent,
    params,
    query,
    body: jsonBody(
      z.strictObject({
        id: z.string().min(1).max(200).optional(),
        reason: z.string().max(1000).optional(),
        who: z.string().max(200).optional(),
        operation: z.string().max(200).optional(),
        leaseMs: LeaseMs.optional().meta({
          description: 'The lock frees itself after this, unless renewed.',
        }),
      }),
    ),
  },
  responses: { 200: jsonAnswer(Lock, 'Locked'), ...PROBLEMS },
})

const renew = createRoute({
  method: 'post',
  path: '/v1/units/{unit}/lock/renew',
  tags,
  summary: 'Extend the lease of a lock',
  request: { params, query, body: jsonBody(z.strictObject({ id: z.string().min(1), leaseMs: LeaseMs })) },
  responses: { 200: jsonAnswer(Lock, 'Renewed'), ...PROBLEMS },
})

const unlock = createRoute({
  method: 'delete',
  path: '/v1/units/{unit}/lock',
  tags,
  summary: 'Let the lock go, or break it by force',
  request: {
    headers: Idempotent,
    params,
    query: OrgQuery.extend({ id: z.string().min(1).optional(), force: Flag }),
  },
  responses: { 200: jsonAnswer(Lock, 'The lock that was broken'), 204: { description: 'Free' }, ...PROBLEMS },
})

export interface LockDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly version: string
}

export function addLocks(api: Api, locks: Locks, deps: LockDeps): void {
  api.openapi(get, async (c) => {
    const view = await locks.get(refOf(c.req.valid('param'), c.req.valid('query')))
    return c.json({ lock: view }, 200)
  })
  api.openapi(lock, async (c) => {
    const { id, reason, who, operation, leaseMs } = c.req.valid('json')
    const { caller } = c.env.exchange
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    const info = {
      ID: id ?? (caller.request === undefined ? deps.ids.id('lock') : `lock-${caller.request.key}`),
      Operation: operation ?? 'taco lock',
      Info: reason ?? '',
      Who: who ?? caller.by,
      Version: deps.version,
      Created: isoTime(deps.clock.now()),
      Path: ref.unit,
    }
    const options = {
      ...(reason === undefined ? {} : { reason }),
      ...(leaseMs === undefined ? {} : { leaseMs }),
    }
    return c.json(await locks.lock(ref, info, options, caller), 200)
  })
  api.openapi(renew, async (c) => {
    const { id, leaseMs } = c.req.valid('json')
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    return c.json(await locks.renew(ref, id, leaseMs, c.env.exchange.caller), 200)
  })
  api.openapi(unlock, async (c) => {
    const { id, force, ...org } = c.req.valid('query')
    const ref = refOf(c.req.valid('param'), org)
    const { caller } = c.env.exchange
    if (force) {
      const broken = await locks.forceUnlock(ref, id === undefined ? {} : { id }, caller)
      return broken === null ? c.body(null, 204) : c.json(broken, 200)
    }
    if (id === undefined)
      throw badRequest('id', 'the id of the lock is missing', 'Give id=<lock id>, or force=true to break it.')
    await locks.unlock(ref, id, caller)
    return c.body(null, 204)
  })
}
