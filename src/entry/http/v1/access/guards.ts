import { z } from 'zod'
import type { Guard } from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import { breakGuard } from '../../kit/access/break-glass.ts'
import { brokenGuards, endGuard, setGuard } from '../../kit/access/guards.ts'
import { NoQuery, OrgQuery, UnitParams, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { ofUnit, route } from '../define.ts'
import { OrgParams, ofNamedOrg, policyOf } from './shared.ts'

const tags = ['guards']
const Reason = z.string().trim().min(1).max(500)

const GuardView = z.object({
  id: z.string(),
  units: z.array(z.string()).nullable().meta({ description: 'Null: the whole organization.' }),
  reason: z.string().nullable(),
  at: z.iso.datetime(),
  by: z.string(),
})

function viewGuard({ id, units, reason, at, by }: Guard): z.input<typeof GuardView> {
  return { id, units: units ?? null, reason: reason ?? null, at: isoTime(at), by }
}

const BrokenView = z.object({
  unit: z.string(),
  by: z.string(),
  reason: z.string(),
  until: z.iso.datetime(),
})

export const guardRoutes = [
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/guards',
    id: 'listGuards',
    action: 'org:read',
    tags,
    summary: 'List what is guarded, so that only runs may change its state',
    params: OrgParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: {
      200: jsonAnswer(z.object({ items: z.array(GuardView), broken: z.array(BrokenView) }), 'All guards'),
    },
    async handle({ target: { org }, caller }, services) {
      const policy = await policyOf(services, org, caller)
      const broken = (await brokenGuards(services, policy, caller)).map(({ unit, by, reason, until }) => ({
        unit,
        by,
        reason,
        until: isoTime(until),
      }))
      return { status: 200, json: { items: policy.guards.map(viewGuard), broken } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/orgs/{org}/guards',
    id: 'createGuard',
    action: 'guard:set',
    tags,
    summary: 'Guard units, or the whole organization',
    params: OrgParams,
    query: NoQuery,
    body: jsonBody(
      z.strictObject({
        units: z.array(z.string()).min(1).optional().meta({
          description: 'Names, ids or patterns such as prod/**. Left out: the whole organization.',
        }),
        reason: Reason.optional(),
      }),
    ),
    target: ofNamedOrg,
    answers: { 201: jsonAnswer(GuardView, 'Guarded') },
    async handle({ target: { org }, body, caller }, services) {
      await policyOf(services, org, caller)
      const guard = await setGuard(services, org, body, caller)
      return { status: 201, json: viewGuard(guard) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/orgs/{org}/guards/{guard}',
    id: 'deleteGuard',
    action: 'guard:set',
    tags,
    summary: 'End a guard',
    params: OrgParams.extend({ guard: z.string() }),
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 204: { description: 'Ended' } },
    async handle({ target: { org }, params, caller }, services) {
      await policyOf(services, org, caller)
      await endGuard(services, org, params.guard, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/units/{unit}/break-glass',
    id: 'breakGlass',
    action: 'state:break-glass',
    tags,
    summary: 'Write the state of a guarded unit without a run, for a while',
    description: 'Only the caller may write, with the rights they have anyway. It is recorded and announced.',
    params: UnitParams,
    query: OrgQuery,
    body: jsonBody(
      z.strictObject({
        reason: Reason,
        forMs: z
          .number()
          .int()
          .min(60_000)
          .max(8 * 3_600_000)
          .default(3_600_000),
      }),
    ),
    target: ofUnit,
    answers: { 201: jsonAnswer(BrokenView, 'Broken') },
    async handle({ target, body: { reason, forMs }, caller }, services) {
      const { name, by, until } = await breakGuard(services, target, { reason, forMs }, caller)
      return { status: 201, json: { unit: name, by, reason, until: isoTime(until) } }
    },
  }),
]
