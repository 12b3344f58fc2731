import { z } from 'zod'
import { type OrgPolicy, type Team, findTeam } from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { type V1Services, route } from '../define.ts'
import { createTeam, deleteTeam, setTeamMember, updateTeam } from '../../kit/access/teams.ts'
import { OrgParams, ofNamedOrg, policyOf } from './shared.ts'
import { signInOf } from '../../auth/sign-in-of.ts'

const tags = ['teams']
const TeamParams = OrgParams.extend({
  team: z.string().meta({ description: 'The name or the id of the team.' }),
})
const MemberParams = TeamParams.extend({
  person: z.string().meta({ description: 'The login name or the id of the person.' }),
})

const TeamView = z.object({
  id: z.string().meta({ example: 'team-Gx4vUkP2sWq7ZrTn' }),
  name: z.string(),
  description: z.string().nullable(),
  members: z
    .array(z.object({ id: z.string(), login: z.string().nullable() }))
    .meta({ description: 'Added by hand. Members of the groups are in the team too.' }),
  groups: z
    .array(z.string())
    .meta({ description: 'Groups of sign-in providers.', example: ['okta/platform'] }),
  createdAt: z.iso.datetime(),
})

async function viewTeam(team: Team, { signIn }: V1Services): Promise<z.input<typeof TeamView>> {
  const members = await Promise.all(
    team.members.map(async (id) => ({ id, login: (await signIn?.people.fresh(id))?.login ?? null })),
  )
  const { id, name, description = null, groups, createdAt } = team
  return { id, name, description, members, groups, createdAt: isoTime(createdAt) }
}

const answerOf = async (policy: OrgPolicy, team: string, services: V1Services) =>
  viewTeam(findTeam(policy, team), services)

export const teamRoutes = [
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/teams',
    id: 'listTeams',
    action: 'access:read',
    tags,
    summary: 'List the teams of an organization',
    params: OrgParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(z.object({ items: z.array(TeamView) }), 'All teams') },
    async handle({ target: { org }, caller }, services) {
      const { teams } = await policyOf(services, org, caller)
      const items = await Promise.all(teams.map((team) => viewTeam(team, services)))
      return { status: 200, json: { items } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/orgs/{org}/teams',
    id: 'createTeam',
    action: 'team:manage',
    tags,
    summary: 'Create a team',
    params: OrgParams,
    query: NoQuery,
    body: jsonBody(
      z.strictObject({
        name: z.string(),
        description: z.string().max(500).optional(),
        groups: z.array(z.string()).default([]),
      }),
    ),
    target: ofNamedOrg,
    answers: { 201: jsonAnswer(TeamView, 'Created') },
    async handle({ target: { org }, body, caller }, services) {
      await policyOf(services, org, caller)
      const { policy, id } = await createTeam(services, org, body, caller)
      return { status: 201, json: await answerOf(policy, id, services) }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/teams/{team}',
    id: 'getTeam',
    action: 'access:read',
    tags,
    summary: 'Show a team',
    params: TeamParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(TeamView, 'The team') },
    async handle({ target: { org }, params, caller }, services) {
      return {
        status: 200,
        json: await answerOf(await policyOf(services, org, caller), params.team, services),
      }
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/orgs/{org}/teams/{team}',
    id: 'updateTeam',
    action: 'team:manage',
    tags,
    summary: 'Rename a team, or change its description or groups',
    params: TeamParams,
    query: NoQuery,
    body: jsonBody(
      z.strictObject({
        name: z.string().optional(),
        description: z.string().max(500).optional(),
        groups: z.array(z.string()).optional(),
      }),
    ),
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(TeamView, 'Changed') },
    async handle({ target: { org }, params, body, caller }, services) {
      await policyOf(services, org, caller)
      const { policy, id } = await updateTeam(services, org, params.team, body, caller)
      return { status: 200, json: await answerOf(policy, id, services) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/orgs/{org}/teams/{team}',
    id: 'deleteTeam',
    action: 'team:manage',
    tags,
    summary: 'Delete a team, with the roles that it has',
    params: TeamParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 204: { description: 'Deleted' } },
    async handle({ target: { org }, params, caller }, services) {
      await policyOf(services, org, caller)
      await deleteTeam(services, org, params.team, caller)
      return { status: 204 }
    },
  }),
  ...(['PUT', 'DELETE'] as const).map((method) =>
    route({
      method,
      path: '/v1/orgs/{org}/teams/{team}/members/{person}',
      id: method === 'PUT' ? 'addTeamMember' : 'removeTeamMember',
      action: 'team:manage',
      tags,
      summary: method === 'PUT' ? 'Add a person to a team' : 'Remove a person from a team',
      params: MemberParams,
      query: NoQuery,
      target: ofNamedOrg,
      answers: { 200: jsonAnswer(TeamView, 'The team') },
      async handle({ target: { org }, params, caller }, services) {
        const { people } = signInOf(services)
        await policyOf(services, org, caller)
        const { policy, id } = await setTeamMember(
          { ...services, people },
          org,
          { ...params, isMember: method === 'PUT' },
          caller,
        )
        return { status: 200, json: await answerOf(policy, id, services) }
      },
    }),
  ),
]
