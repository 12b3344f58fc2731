import { z } from 'zod'
import type { OrgPolicy, TokenLimits } from '../../../../access/index.ts'
import { orgTag } from '../../../../records/index.ts'
import { resource } from '../kit/body.ts'
import { OrgParams, documented, ofOrg, route } from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { type ResourceObject, document, time } from '../kit/json-api.ts'

const TYPE = 'organization-token-ttl-policies'
const KINDS = ['organization', 'team', 'audit-trails'] as const

/** Only what is limited is listed. */
function view({ org, tokenLimits = {} }: OrgPolicy): readonly ResourceObject[] {
  return KINDS.flatMap((kind) => {
    const most = tokenLimits[kind]
    if (typeof most !== 'number') return []
    const id = `ttl-${orgTag(org)}${kind.replaceAll('-', '')}`
    const attributes = {
      'token-type': kind,
      'max-ttl-ms': most,
      'created-at': time(0),
      'updated-at': time(0),
    }
    return [{ id, type: TYPE, attributes }]
  })
}

const Limit = z.object({ 'token-type': z.string(), 'max-ttl-ms': z.number().int().min(0) })

/** A limit of 0 takes it away. */
function changed(limits: TokenLimits, given: readonly z.output<typeof Limit>[]): TokenLimits {
  const next: TokenLimits = { ...limits }
  for (const { 'token-type': type, 'max-ttl-ms': most } of given) {
    const kind = KINDS.find((one) => one === type.replaceAll('_', '-'))
    if (kind === undefined)
      throw invalidAttribute(
        'token-ttl-policies',
        `The tokens of the kind "${type}" cannot be limited for one organization.`,
        'Limit organization, team or audit-trails. A personal token is valid for a year at most, on every server.',
      )
    if (most === 0) delete next[kind]
    else next[kind] = most
  }
  return next
}

const common = {
  path: '/api/v2/organizations/{org}/token-ttl-policies',
  tags: ['terraform cloud'],
  params: OrgParams,
  target: ofOrg,
} as const

export const tokenLimitRoutes = [
  route({
    ...common,
    method: 'GET',
    id: 'tfcListTokenLimits',
    action: 'access:read',
    summary: 'List how long the tokens of an organization may be valid',
    answers: { 200: documented('The limits') },
    async handle({ target: { org }, caller }, { orgAccess }) {
      return { status: 200, ...document(view(await orgAccess.get(org, caller))) }
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    id: 'tfcUpdateTokenLimits',
    action: 'token:manage',
    summary: 'Limit how long new tokens of an organization may be valid',
    body: resource(TYPE, { attributes: { 'token-ttl-policies': z.array(Limit).max(10) } }),
    answers: { 200: documented('The limits') },
    async handle({ target: { org }, body: { attributes }, caller }, { orgAccess, control }) {
      await control.orgs.get(org, caller)
      const given = attributes['token-ttl-policies']
      const change = {
        type: 'tokens.limited' as const,
        data: { limits: given },
        transition: <T extends OrgPolicy>(policy: T): T => ({
          ...policy,
          tokenLimits: changed(policy.tokenLimits ?? {}, given),
        }),
      }
      return { status: 200, ...document(view(await orgAccess.change(org, change, caller))) }
    },
  }),
]
