import { z } from 'zod'
import {
  type Caller,
  type NewToken,
  type OrgPolicy,
  type Team,
  type TokenLimits,
  type TokenView,
  type TokensOf,
  ownerIn,
  withinLimit,
} from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import { signInOf } from '../../auth/sign-in-of.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { directoryOf } from '../people/directory.ts'
import { checkMayIssue, visibleTeam } from '../people/rights.ts'
import { TeamOf } from '../teams/teams.ts'
import { namedTokenBody, tokenBody } from './attributes.ts'
import { inTheseWords, tokenViewer } from './views.ts'

const tags = ['terraform cloud']

/** Tokens that still work. */
async function active(services: TfcServices, of: TokensOf, caller: Caller): Promise<readonly TokenView[]> {
  const all = (await services.signIn?.tokens.list(of, caller)) ?? []
  return all.filter(({ status }) => status === 'active')
}

async function current(
  services: TfcServices,
  of: TokensOf,
  slot: string,
  caller: Caller,
): Promise<TokenView> {
  const found = (await active(services, of, caller)).find((token) => token.slot === slot)
  if (found === undefined) throw notFound()
  return found
}

interface Wanted extends Pick<NewToken, 'name' | 'owner' | 'slot'> {
  /** Which limit of the organization it is under. */
  readonly limit: keyof TokenLimits | undefined
  /** Undefined: never, as far as the organization has no limit. */
  readonly expiresAt: number | null | undefined
}

async function create(
  services: TfcServices,
  policy: OrgPolicy,
  { limit, expiresAt, ...wanted }: Wanted,
  caller: Caller,
) {
  const { tokens } = signInOf(services)
  const most = limit === undefined ? undefined : policy.tokenLimits?.[limit]
  const asked = expiresAt ?? (most === undefined ? null : undefined)
  return inTheseWords(async () => {
    const until = withinLimit(asked, typeof most === 'number' ? most : undefined, services.clock.now())
    const { token, text } = await tokens.create({ ...wanted, expiresAt: until }, caller)
    return { status: 201 as const, ...document(await tokenViewer(services, policy, caller)(token, text)) }
  })
}

const ofTeam = ({ org }: OrgPolicy, { id }: Team) => ({ org, kinds: ['team'], team: id }) as const

/** The team of a request, if the caller may manage its tokens. */
async function issuing(
  services: TfcServices,
  { org, team: id }: { org: string; team: string },
  caller: Caller,
) {
  const { policy, teams } = await directoryOf(services, org, caller)
  const team = visibleTeam({ policy, teams }, id, caller)
  checkMayIssue(policy, team, caller)
  return { policy, team }
}

/** The one token of a team that a new one replaces. */
const OF_TEAM = 'team'

const oneOfTeam = {
  action: 'org:read',
  isFiltered: true,
  tags,
  ...TeamOf,
  path: '/api/v2/teams/{team}/authentication-token',
} as const
const manyOfTeam = { ...oneOfTeam, path: '/api/v2/teams/{team}/authentication-tokens' } as const

const teamTokenRoutes = [
  route({
    ...oneOfTeam,
    method: 'POST',
    id: 'tfcCreateTeamToken',
    summary: 'Create the token of a team that has no description. It replaces the one before',
    isSecret: true,
    body: tokenBody,
    answers: { 201: documented('The token, with its secret') },
    async handle({ target, body, caller }, services) {
      const { policy, team } = await issuing(services, target, caller)
      const owner = ownerIn(policy, { kind: 'team', team: team.id })
      const wanted = { name: `token of ${team.name}`, owner, slot: OF_TEAM, limit: 'team' } as const
      return create(services, policy, { ...wanted, expiresAt: body?.attributes['expired-at'] }, caller)
    },
  }),
  route({
    ...oneOfTeam,
    method: 'GET',
    id: 'tfcShowTeamToken',
    summary: 'Show the token of a team that has no description',
    answers: { 200: documented('The token, without its secret') },
    async handle({ target, caller }, services) {
      const { policy, team } = await issuing(services, target, caller)
      const token = await current(services, ofTeam(policy, team), OF_TEAM, caller)
      return { status: 200, ...document(await tokenViewer(services, policy, caller)(token)) }
    },
  }),
  route({
    ...oneOfTeam,
    method: 'DELETE',
    id: 'tfcDeleteTeamToken',
    summary: 'Revoke the token of a team that has no description',
    answers: { 204: NO_CONTENT },
    async handle({ target, caller }, services) {
      const { policy, team } = await issuing(services, target, caller)
      const of = ofTeam(policy, team)
      const { id } = await current(services, of, OF_TEAM, caller)
      await signInOf(services).tokens.revoke(id, of, caller)
      return { status: 204 }
    },
  }),
  route({
    ...manyOfTeam,
    method: 'POST',
    id: 'tfcCreateNamedTeamToken',
    summary: 'Create a token of a team',
    isSecret: true,
    body: namedTokenBody,
    answers: { 201: documented('The token, with its secret') },
    async handle({ target, body: { attributes }, caller }, services) {
      const { policy, team } = await issuing(services, target, caller)
      const { description: name, 'expired-at': expiresAt } = attributes
      if ((await active(services, ofTeam(policy, team), caller)).some((token) => token.name === name))
        throw new TacoError('ALREADY_EXISTS', `The team already has a token named ${name}.`, {
          facts: { field: 'description' },
        })
      const owner = ownerIn(policy, { kind: 'team', team: team.id })
      return create(services, policy, { name, owner, limit: 'team', expiresAt }, caller)
    },
  }),
  route({
    ...manyOfTeam,
    method: 'GET',
    id: 'tfcListTokensOfTeam',
    summary: 'List the tokens of a team',
    query: z.object(paging),
    answers: { 200: documented('The tokens, without their secrets') },
    async handle({ target, query, caller, x }, services) {
      const { policy, team } = await issuing(services, target, caller)
      const page = paged(await active(services, ofTeam(policy, team), caller), query, x)
      const view = tokenViewer(services, policy, caller)
      const items = await Promise.all(page.items.map((token) => view(token)))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/team-tokens',
    id: 'tfcListTeamTokens',
    action: 'token:manage',
    tags,
    summary: 'List the tokens of all teams',
    params: OrgParams,
    query: z.object({
      ...paging,
      q: z.string().optional().meta({ description: 'Part of the name of a team.' }),
      sort: z.string().optional(),
    }),
    target: ofOrg,
    answers: { 200: documented('The tokens, without their secrets') },
    async handle({ target: { org }, query, caller, x }, services) {
      const { policy, teams } = await directoryOf(services, org, caller)
      const names = new Map(teams.map(({ id, name }) => [id, name]))
      const nameOf = ({ team }: TokenView) => names.get(team ?? '') ?? ''
      const wanted = query.q?.toLowerCase() ?? ''
      const found = (await active(services, { org, kinds: ['team'] }, caller)).filter((token) =>
        nameOf(token).toLowerCase().includes(wanted),
      )
      const page = paged(sorted(found, query.sort, nameOf), query, x)
      const view = tokenViewer(services, policy, caller)
      const items = await Promise.all(page.items.map((token) => view(token)))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
]

/** `team-name`, `created-by`, `expired-at`, `last-used-at`; with a dash in front, the other way round. */
function sorted(
  tokens: readonly TokenView[],
  sort: string | undefined,
  nameOf: (token: TokenView) => string,
): readonly TokenView[] {
  const isDown = sort?.startsWith('-') === true
  const by: Readonly<Record<string, (token: TokenView) => string>> = {
    'team-name': nameOf,
    'created-by': ({ createdBy }) => createdBy,
    'expired-at': ({ expiresAt }) => expiresAt ?? '9',
    'last-used-at': ({ lastUsedAt }) => lastUsedAt ?? '',
  }
  const field = by[(isDown ? sort?.slice(1) : sort) ?? '']
  if (field === undefined) return tokens
  const up = tokens.toSorted((a, b) => field(a).localeCompare(field(b)))
  return isDown ? up.toReversed() : up
}

/** `?token=audit-trails`: the other of the two tokens that an organization has. */
const WhichToken = z.object({ token: z.string().optional() })
const slotOf = ({ token }: { readonly token?: string | undefined }) =>
  token === 'audit-trails' ? 'audit-trails' : 'organization'
const ofOrganization = (org: string) => ({ org, kinds: ['organization'] }) as const

const oneOfOrganization = {
  action: 'token:manage',
  tags,
  path: '/api/v2/organizations/{org}/authentication-token',
  params: OrgParams,
  query: WhichToken,
  target: ofOrg,
} as const

const organizationTokenRoutes = [
  route({
    ...oneOfOrganization,
    method: 'POST',
    id: 'tfcCreateOrganizationToken',
    summary: 'Create the token of an organization, or of its audit trail. It replaces the one before',
    isSecret: true,
    body: tokenBody,
    answers: { 201: documented('The token, with its secret') },
    async handle({ target: { org }, query, body, caller }, services) {
      const { policy } = await directoryOf(services, org, caller)
      const slot = slotOf(query)
      const roles = [slot === 'audit-trails' ? 'auditor' : 'owner']
      const owner = ownerIn(policy, { kind: 'organization', roles })
      const wanted = { name: slot, owner, slot, limit: slot } as const
      return create(services, policy, { ...wanted, expiresAt: body?.attributes['expired-at'] }, caller)
    },
  }),
  route({
    ...oneOfOrganization,
    method: 'GET',
    id: 'tfcShowOrganizationToken',
    summary: 'Show the token of an organization, or of its audit trail',
    answers: { 200: documented('The token, without its secret') },
    async handle({ target: { org }, query, caller }, services) {
      const { policy } = await directoryOf(services, org, caller)
      const token = await current(services, ofOrganization(org), slotOf(query), caller)
      return { status: 200, ...document(await tokenViewer(services, policy, caller)(token)) }
    },
  }),
  route({
    ...oneOfOrganization,
    method: 'DELETE',
    id: 'tfcDeleteOrganizationToken',
    summary: 'Revoke the token of an organization, or of its audit trail',
    answers: { 204: NO_CONTENT },
    async handle({ target: { org }, query, caller }, services) {
      const of = ofOrganization(org)
      const { id } = await current(services, of, slotOf(query), caller)
      await signInOf(services).tokens.revoke(id, of, caller)
      return { status: 204 }
    },
  }),
]

const ofPool = {
  action: 'token:manage',
  tags,
  path: '/api/v2/agent-pools/{pool}/authentication-tokens',
  params: z.object({ pool: z.string() }),
  target: (
    { params: { pool } }: { readonly params: { readonly pool: string } },
    { locator, agentPools }: Pick<TfcServices, 'locator' | 'agentPools'>,
  ) => locator.record(agentPools, pool),
} as const

const agentTokenRoutes = [
  route({
    ...ofPool,
    method: 'POST',
    id: 'tfcCreateAgentToken',
    summary: 'Create a token for the agents of a pool',
    isSecret: true,
    body: namedTokenBody,
    answers: { 201: documented('The token, with its secret') },
    async handle({ target: { org, record }, body: { attributes }, caller }, services) {
      const { policy } = await directoryOf(services, org, caller)
      // Agents get the rights that they need with each job.
      const owner = { kind: 'agent', org, roles: [], pool: record.id } as const
      const { description: name, 'expired-at': expiresAt } = attributes
      return create(
        services,
        policy,
        { name, owner: { ...owner, roles: [] }, limit: undefined, expiresAt },
        caller,
      )
    },
  }),
  route({
    ...ofPool,
    method: 'GET',
    id: 'tfcListAgentTokens',
    summary: 'List the tokens of the agents of a pool',
    query: z.object(paging),
    answers: { 200: documented('The tokens, without their secrets') },
    async handle({ target: { org, record }, query, caller, x }, services) {
      const { policy } = await directoryOf(services, org, caller)
      const found = await active(services, { org, kinds: ['agent'], pool: record.id }, caller)
      const page = paged(found, query, x)
      const view = tokenViewer(services, policy, caller)
      const items = await Promise.all(page.items.map((token) => view(token)))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
]

export const orgTokenRoutes = [...teamTokenRoutes, ...organizationTokenRoutes, ...agentTokenRoutes]
