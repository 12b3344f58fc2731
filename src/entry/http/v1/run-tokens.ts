import { z } from 'zod'
import { MAX_TTL_MS, principalText } from '../../../access/index.ts'
import { isoTime } from '../../../base/clock.ts'
import { TacoError, isTacoError } from '../../../base/errors.ts'
import {
  type Caller,
  type StateControl,
  type UnitRef,
  type Units,
  isUnitId,
  parseNewUnitName,
  parseOrgName,
} from '../../../state/index.ts'
import { OrgQuery, UnitParams, jsonAnswer, jsonBody } from '../openapi/api.ts'
import { ofOrg, ofUnit, route } from './define.ts'

const tags = ['run tokens']
const query = OrgQuery
const params = z.object({ id: z.string() })
export const TtlMs = z.number().int().min(1000).max(MAX_TTL_MS).default(3_600_000).meta({
  description: 'How long the token is valid unless it is renewed or revoked.',
})

export const IssuedRunToken = z.object({
  id: z.string().meta({ description: 'For renewing and revoking it; not a secret.' }),
  token: z.string().meta({ description: 'taco_run_…; shown only once.' }),
  unit: z.object({ id: z.string().nullable(), name: z.string() }),
  expiresAt: z.iso.datetime(),
})

/** A first apply makes its unit. */
async function unitOf(
  ref: UnitRef,
  units: Units,
  caller: Caller,
): Promise<{ id: string | null; name: string }> {
  try {
    const { id, name } = await units.get(ref, caller)
    return { id, name }
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND') || error.facts['field'] === 'org' || isUnitId(ref.unit)) throw error
    return { id: null, name: parseNewUnitName(ref.unit) }
  }
}

/** Without a right on the whole organization, a caller manages the run tokens that it was issued. */
async function checkOwn(
  ref: { readonly org: string; readonly id: string },
  { runTokens }: Pick<StateControl, 'runTokens'>,
  caller: Caller,
): Promise<void> {
  if (caller.sight === undefined || caller.sight.may('run:token', undefined)) return
  const author = await runTokens.authorOf(ref, caller)
  if (author !== undefined && author !== principalText(caller.principal))
    throw new TacoError('FORBIDDEN', 'This run token was issued to another caller.', {
      hint: 'Ask an administrator of the organization.',
    })
}

export const runTokenRoutes = [
  route({
    method: 'POST',
    path: '/v1/units/{unit}/run-tokens',
    id: 'issueRunToken',
    action: 'run:token',
    tags,
    summary: 'Issue a token for one run on one unit',
    description:
      'The token works for the http backend only. It can write and lock the state of this unit, and read the states that the caller may read. Its use is attributed to the caller. The unit need not exist yet.',
    params: UnitParams,
    query,
    body: jsonBody(z.strictObject({ ttlMs: TtlMs })),
    answers: {
      201: jsonAnswer(IssuedRunToken, 'Issued'),
    },
    target: ofUnit,
    // With the token anyone can write the state, guarded or not.
    also: ({ target }) => [{ action: 'state:write', resource: target }],
    async handle({ target, body, x, caller }, { control }) {
      const unit = await unitOf(target, control.units, caller)
      const scope = { org: target.org, unit }
      const { id, token, expiresAt } = await control.runTokens.issue(scope, body, x)
      return { status: 201, json: { id, token, unit, expiresAt: isoTime(expiresAt) } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/run-tokens/{id}/renew',
    id: 'renewRunToken',
    audit: 'counted',
    action: 'run:token',
    isFiltered: true,
    tags,
    summary: 'Renew a run token',
    params,
    query,
    body: jsonBody(z.strictObject({ ttlMs: TtlMs })),
    answers: { 200: jsonAnswer(z.object({ expiresAt: z.iso.datetime() }), 'Renewed') },
    target: ofOrg,
    async handle({ params: { id }, query, body, caller }, { control }) {
      const ref = { org: parseOrgName(query.org), id }
      await checkOwn(ref, control, caller)
      const { expiresAt } = await control.runTokens.renew(ref, body, caller)
      return { status: 200, json: { expiresAt: isoTime(expiresAt) } }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/run-tokens/{id}',
    id: 'revokeRunToken',
    action: 'run:token',
    isFiltered: true,
    tags,
    summary: 'Revoke a run token on every server',
    params,
    query,
    answers: { 204: { description: 'Revoked' } },
    target: ofOrg,
    async handle({ params: { id }, query, caller }, { control }) {
      const ref = { org: parseOrgName(query.org), id }
      await checkOwn(ref, control, caller)
      await control.runTokens.revoke(ref, caller)
      return { status: 204 }
    },
  }),
]
