import { z } from 'zod'
import { authorOf } from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import { badRequest } from '../../../../base/errors.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { Idempotent, Flag, OrgQuery, UnitParams, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { Lock } from '../../openapi/openapi-schemas.ts'
import { ofUnit, route } from '../define.ts'

const tags = ['locks']
const params = UnitParams
const query = OrgQuery
const LeaseMs = z.number().int().min(1000).max(86_400_000)

export const lockRoutes = [
  route({
    method: 'GET',
    path: '/v1/units/{unit}/lock',
    id: 'getLock',
    action: 'unit:read',
    tags,
    summary: 'Show the lock',
    params,
    query,
    answers: {
      200: jsonAnswer(z.object({ lock: z.union([Lock, z.null()]) }), 'The lock, or null if there is none'),
    },
    target: ofUnit,
    handle: async ({ target, caller }, { control }) => ({
      status: 200,
      json: { lock: await control.locks.get(target, caller) },
    }),
  }),
  route({
    method: 'POST',
    path: '/v1/units/{unit}/lock',
    id: 'lockUnit',
    action: 'lock',
    tags,
    summary: 'Acquire the lock; repeating it with the same id succeeds',
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
          description: 'The lock is released automatically after this time unless renewed.',
        }),
      }),
    ),
    answers: { 200: jsonAnswer(Lock, 'Locked') },
    target: ofUnit,
    async handle({ target, body, caller }, { control, ids, clock, about }) {
      const { id, reason, who, operation, leaseMs } = body
      const author = authorOf(caller)
      const info = {
        ID: id ?? (caller.request === undefined ? ids.id('lock') : `lock-${caller.request.key}`),
        Operation: operation ?? 'taco lock',
        Info: reason ?? '',
        Who: who ?? author.who ?? author.by,
        Version: about.version,
        Created: isoTime(clock.now()),
        Path: target.unit,
      }
      const options = defined({ reason, leaseMs })
      return { status: 200, json: await control.locks.lock(target, info, options, caller) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/units/{unit}/lock/renew',
    id: 'renewLock',
    audit: 'counted',
    action: 'lock',
    tags,
    summary: 'Renew the lease of a lock',
    params,
    query,
    body: jsonBody(z.strictObject({ id: z.string().min(1), leaseMs: LeaseMs })),
    answers: { 200: jsonAnswer(Lock, 'Renewed') },
    target: ofUnit,
    handle: async ({ target, body: { id, leaseMs }, caller }, { control }) => ({
      status: 200,
      json: await control.locks.renew(target, id, leaseMs, caller),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/units/{unit}/lock',
    id: 'unlockUnit',
    action: 'lock',
    tags,
    summary: 'Release the lock, or break it by force',
    headers: Idempotent,
    params,
    query: OrgQuery.extend({ id: z.string().min(1).optional(), force: Flag }),
    answers: { 200: jsonAnswer(Lock, 'The lock that was broken'), 204: { description: 'Released' } },
    target: ofUnit,
    also: ({ query, target }) => (query.force ? [{ action: 'unlock-others', resource: target }] : []),
    async handle({ target, query: { id, force }, caller }, { control }) {
      if (force) {
        const broken = await control.locks.forceUnlock(target, defined({ id }), caller)
        return broken === null ? { status: 204 } : { status: 200, json: broken }
      }
      if (id === undefined)
        throw badRequest(
          'id',
          'The id of the lock is missing.',
          'Give id=<lock id>, or force=true to break the lock.',
        )
      await control.locks.unlock(target, id, caller)
      return { status: 204 }
    },
  }),
]
