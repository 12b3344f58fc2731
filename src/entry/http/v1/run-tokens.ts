import { MAX_TTL_MS } from '../../../access/index.ts'
import { isoTime } from '../../../base/clock.ts'
import { isTacoError } from '../../../base/errors.ts'
import {
  type StateControl,
  type UnitRef,
  isUnitId,
  parseNewUnitName,
  parseOrgName,
} from '../../../state/index.ts'
import {
  type Api,
  OrgQuery,
  PROBLEMS,
  UnitParams,
  createRoute,
  jsonAnswer,
  jsonBody,
  refOf,
  z,
} from '../openapi/api.ts'

const tags = ['run tokens']
const query = OrgQuery
const params = z.object({ id: z.string() })
const TtlMs = z.number().int().min(1000).max(MAX_TTL_MS).default(3_600_000).meta({
  description: 'How long it is valid, unless it is renewed or revoked before.',
})

const issue = createRoute({
  method: 'post',
  path: '/v1/units/{unit}/run-tokens',
  tags,
  summary: 'Issue a token for one run on one unit',
  description:
    'It opens the http backend alone: it writes and locks the state of this unit and reads those of the organization. What is done with it is credited to the caller. The unit need not exist yet.',
  request: { params: UnitParams, query, body: jsonBody(z.strictObject({ ttlMs: TtlMs })) },
  responses: {
    201: jsonAnswer(
      z.object({
        id: z.string().meta({ description: 'To renew and revoke it; no secret.' }),
        token: z.string().meta({ description: 'taco_run_…; shown this once.' }),
        unit: z.object({ id: z.string().nullable(), name: z.string() }),
        expiresAt: z.iso.datetime(),
      }),
      'Issued',
    ),
    ...PROBLEMS,
  },
})

const renew = createRoute({
  method: 'post',
  path: '/v1/run-tokens/{id}/renew',
  tags,
  summary: 'Renew a run token',
  request: { params, query, body: jsonBody(z.strictObject({ ttlMs: TtlMs })) },
  responses: { 200: jsonAnswer(z.object({ expiresAt: z.iso.datetime() }), 'Renewed'), ...PROBLEMS },
})

const revoke = createRoute({
  method: 'delete',
  path: '/v1/run-tokens/{id}',
  tags,
  summary: 'Revoke a run token; every server refuses it from then on',
  request: { params, query },
  responses: { 204: { description: 'Revoked, or revoked before' }, ...PROBLEMS },
})

export function addRunTokens(
  api: Api,
  { runTokens, units }: Pick<StateControl, 'runTokens' | 'units'>,
): void {
  /** A first apply makes its unit. */
  async function unitOf(ref: UnitRef): Promise<{ id: string | null; name: string }> {
    try {
      const { id, name } = await units.get(ref)
      return { id, name }
    } catch (error) {
      if (!isTacoError(error, 'NOT_FOUND') || error.facts['field'] === 'org' || isUnitId(ref.unit))
        throw error
      return { id: null, name: parseNewUnitName(ref.unit) }
    }
  }

  const tokenRef = ({ id }: { id: string }, { org }: { org: string }) => ({ org: parseOrgName(org), id })

  api.openapi(issue, async (c) => {
    const ref = refOf(c.req.valid('param'), c.req.valid('query'))
    const unit = await unitOf(ref)
    const { id, token, expiresAt } = await runTokens.issue(
      { org: ref.org, unit },
      c.req.valid('json'),
      c.env.exchange,
    )
    return c.json({ id, token, unit, expiresAt: isoTime(expiresAt) }, 201)
  })
  api.openapi(renew, async (c) => {
    const ref = tokenRef(c.req.valid('param'), c.req.valid('query'))
    const { expiresAt } = await runTokens.renew(ref, c.req.valid('json'))
    return c.json({ expiresAt: isoTime(expiresAt) }, 200)
  })
  api.openapi(revoke, async (c) => {
    await runTokens.revoke(tokenRef(c.req.valid('param'), c.req.valid('query')))
    return c.body(null, 204)
  })
}
