import { z } from 'zod'
import {
  ORGANIZATION_PERMISSION_NAMES,
  type Caller,
  type OrgPolicy,
  type Team,
  addTeam,
  changeTeam,
  organizationAccess,
  removeTeam,
  setOrganizationAccess,
} from '../../../../access/index.ts'
import { resource } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { type ResourceObject, document, includes } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { type Directory, directoryOf, directoryWith } from '../people/directory.ts'
import { checkMayFill } from '../../auth/team-rights.ts'
import { isVisible, visibleTeam } from '../people/rights.ts'
import { viewMembership, viewTeam, viewMember } from '../people/views.ts'

const tags = ['terraform cloud']
const TeamParams = z.object({ team: z.string() })

export const TeamOf = {
  params: TeamParams,
  target: (
    { params }: { readonly params: { readonly team: string } },
    { locator }: Pick<TfcServices, 'locator'>,
  ) => locator.team(params.team),
}

const Permission = z.boolean().nullish()
const OrganizationAccess = z.object(
  Object.fromEntries(ORGANIZATION_PERMISSION_NAMES.map((name) => [name, Permission])),
)
const attributes = {
  'sso-team-id': z.string().max(255).nullish(),
  visibility: z.enum(['secret', 'organization']).nullish(),
  'allow-member-token-management': z.boolean().nullish(),
  'organization-access': OrganizationAccess.nullish(),
}
type Given = { readonly [K in keyof typeof attributes]?: z.output<(typeof attributes)[K]> }

/** To give permissions for the organization takes the right to give roles. */
function demands({ 'organization-access': given }: Given, target: { readonly org: string }) {
  const isGiven = given !== null && given !== undefined && Object.keys(given).length > 0
  return isGiven ? [{ action: 'role:manage' as const, resource: { org: target.org } }] : []
}

function changeOf({ visibility, 'sso-team-id': ssoTeamId, ...rest }: Given) {
  const allowMemberTokens = rest['allow-member-token-management'] ?? undefined
  return {
    visibility: visibility ?? undefined,
    ssoTeamId: ssoTeamId === '' ? null : ssoTeamId,
    allowMemberTokens,
  }
}

/** What is not named stays as it is. */
function withAccess<T extends OrgPolicy>(policy: T, team: Pick<Team, 'id'>, given: Given): T {
  const access = given['organization-access']
  if (access === null || access === undefined) return policy
  const named = Object.entries(access).filter(([, value]) => typeof value === 'boolean')
  return setOrganizationAccess(policy, team, {
    ...organizationAccess(policy, team),
    ...(Object.fromEntries(named) as Partial<
      Record<(typeof ORGANIZATION_PERMISSION_NAMES)[number], boolean>
    >),
  })
}

/** The teams with what the request asks to be included. */
async function shown(
  teams: readonly Team[],
  directory: Directory,
  { query, caller }: { readonly query: { readonly include?: string | undefined }; readonly caller: Caller },
): Promise<{ readonly items: readonly ResourceObject[]; readonly included: readonly ResourceObject[] }> {
  const wanted = includes(query)
  const views = await Promise.all(teams.map((team) => viewTeam(team, directory, caller)))
  const users = wanted.has('users')
    ? views.flatMap(({ members }) => members.map((one) => viewMember(one, caller)))
    : []
  const ids = new Set(teams.map(({ id }) => id))
  const memberships = wanted.has('organization-memberships')
    ? (await directory.memberships()).filter((one) => one.teams.some(({ id }) => ids.has(id)))
    : []
  return {
    items: views.map(({ team }) => team),
    included: [...users, ...memberships.map((one) => viewMembership(one, directory))],
  }
}

async function answerOf(
  id: string,
  directory: Directory,
  request: { readonly query: { readonly include?: string | undefined }; readonly caller: Caller },
) {
  const { items, included } = await shown(
    directory.teams.filter((team) => team.id === id),
    directory,
    request,
  )
  return document(items[0] ?? null, { included })
}

const include = z.object({ include: z.string().optional() })

export const teamsRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/teams',
    id: 'tfcListTeams',
    action: 'org:read',
    isFiltered: true,
    tags,
    summary: 'List the teams that you may see',
    params: OrgParams,
    query: z.object({
      ...paging,
      q: z.string().optional(),
      'filter[names]': z.string().optional().meta({ description: 'Names, separated by commas.' }),
    }),
    target: ofOrg,
    answers: { 200: documented('The teams') },
    async handle({ target: { org }, query, caller, x }, services) {
      const directory = await directoryOf(services, org, caller)
      const names = query['filter[names]']?.split(',').map((name) => name.trim())
      const search = query.q?.toLowerCase() ?? ''
      const found = directory.teams.filter(
        (team) =>
          isVisible(directory.policy, team, caller) &&
          (names === undefined || names.includes(team.name)) &&
          team.name.toLowerCase().includes(search),
      )
      const page = paged(found, query, x)
      const { items, included } = await shown(page.items, directory, { query, caller })
      return { status: 200, ...listed({ ...page, items }, { included }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/teams',
    id: 'tfcCreateTeam',
    action: 'team:manage',
    tags,
    summary: 'Create a team',
    params: OrgParams,
    body: resource('teams', { attributes: { name: z.string(), ...attributes } }),
    target: ofOrg,
    also: ({ body, target }) => demands(body.attributes, target),
    answers: { 201: documented('The team') },
    async handle({ target: { org }, body, caller }, services) {
      await services.control.orgs.get(org, caller)
      const { name, ...given } = body.attributes
      const { visibility, ssoTeamId, allowMemberTokens = true } = changeOf(given)
      const team: Team = {
        id: services.ids.id('team'),
        name,
        members: [],
        groups: [],
        createdAt: services.clock.now(),
        allowMemberTokens,
        ...(visibility === undefined ? {} : { visibility }),
        ...(ssoTeamId === undefined || ssoTeamId === null ? {} : { ssoTeamId }),
      }
      const change = {
        type: 'team.created' as const,
        data: { team: team.id, name },
        transition: <T extends OrgPolicy>(policy: T) =>
          withAccess(addTeam(policy, team), team, { 'organization-access': {}, ...given }),
      }
      const policy = await services.orgAccess.change(org, change, caller)
      return {
        status: 201,
        ...(await answerOf(team.id, directoryWith(services, policy, caller), { query: {}, caller })),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/teams/{team}',
    id: 'tfcShowTeam',
    action: 'org:read',
    isFiltered: true,
    tags,
    summary: 'Show a team',
    ...TeamOf,
    query: include,
    answers: { 200: documented('The team') },
    async handle({ target: { org, team }, query, caller }, services) {
      const directory = await directoryOf(services, org, caller)
      return {
        status: 200,
        ...(await answerOf(visibleTeam(directory, team, caller).id, directory, { query, caller })),
      }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/teams/{team}',
    id: 'tfcUpdateTeam',
    action: 'team:manage',
    tags,
    summary: 'Change a team',
    ...TeamOf,
    body: resource('teams', { attributes: { name: z.string().nullish(), ...attributes } }),
    also: ({ body, target }) => demands(body.attributes, target),
    answers: { 200: documented('The team') },
    async handle({ target: { org, team }, body, caller }, services) {
      const { name, ...given } = body.attributes
      const before = visibleTeam(await directoryOf(services, org, caller), team, caller)
      const wanted = { name: name ?? undefined, ...changeOf(given) }
      const change = {
        type: 'team.changed' as const,
        data: { team, name: name ?? before.name },
        transition: <T extends OrgPolicy>(policy: T) =>
          withAccess(changeTeam(policy, team, wanted), { id: team }, given),
      }
      const policy = await services.orgAccess.change(org, change, caller)
      return {
        status: 200,
        ...(await answerOf(team, directoryWith(services, policy, caller), { query: {}, caller })),
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/teams/{team}',
    id: 'tfcDeleteTeam',
    action: 'team:manage',
    tags,
    summary: 'Delete a team, with what it has access to',
    ...TeamOf,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, team }, caller }, services) {
      const { policy, teams } = await directoryOf(services, org, caller)
      const { name } = visibleTeam({ policy, teams }, team, caller)
      checkMayFill(policy, [{ id: team, name }], caller)
      const change = {
        type: 'team.deleted' as const,
        data: { team, name },
        transition: <T extends OrgPolicy>(current: T) => removeTeam(current, team),
      }
      await services.orgAccess.change(org, change, caller)
      return { status: 204 }
    },
  }),
]
