import {
  type Caller,
  type OrgPolicy,
  addTeamMember,
  findTeam,
  removeTeamMember,
  setInvitedTeam,
} from '../../../../access/index.ts'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { identifiers } from '../kit/body.ts'
import { NO_CONTENT, type TfcServices, route } from '../kit/define.ts'
import { type Directory, directoryOf } from '../people/directory.ts'
import { checkMayFill } from '../../auth/team-rights.ts'
import { visibleTeam } from '../people/rights.ts'
import { signInOf } from '../../auth/sign-in-of.ts'
import { TeamOf } from './teams.ts'

const tags = ['terraform cloud']

/** Somebody to be put into a team, or out of it: a person, or one who has been invited. */
type Wanted = { readonly user: string; readonly login: string } | { readonly invitation: string }

async function byLogin(id: string, services: TfcServices, caller: Caller): Promise<readonly Wanted[]> {
  try {
    const { id: user, login } = await signInOf(services).people.get(id, caller)
    return [{ user, login }]
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND')) throw unknown(`There is no user ${id}.`)
    throw error
  }
}

async function byMembership(id: string, directory: Directory): Promise<readonly Wanted[]> {
  const found = (await directory.memberships()).find((one) => one.id === id)
  if (found === undefined) throw unknown(`There is no organization membership ${id}.`)
  const { person, invitations } = found
  return [
    ...(person === undefined ? [] : [{ user: person.id, login: person.login }]),
    ...invitations.map((one) => ({ invitation: one.id })),
  ]
}

function unknown(message: string): TacoError {
  return new TacoError('BAD_REQUEST', message, { facts: { field: 'data' } })
}

/** Somebody who has signed in is a member by their own id; the invitation no longer says so. */
function moved<T extends OrgPolicy>(policy: T, team: string, one: Wanted, isAdded: boolean): T {
  if ('invitation' in one) return setInvitedTeam(policy, one.invitation, team, isAdded)
  return isAdded ? addTeamMember(policy, team, one.user) : removeTeamMember(policy, team, one.user)
}

const relations = { users: 'users', 'organization-memberships': 'organization-memberships' } as const

export const teamMemberRoutes = Object.values(relations).flatMap((relation) =>
  (['POST', 'DELETE'] as const).map((method) =>
    route({
      method,
      path: `/api/v2/teams/{team}/relationships/${relation}`,
      id: `tfc${method === 'POST' ? 'Add' : 'Remove'}Team${relation === 'users' ? 'Users' : 'Memberships'}`,
      action: 'team:manage',
      tags,
      summary: method === 'POST' ? 'Add people to a team' : 'Remove people from a team',
      ...TeamOf,
      body: identifiers(relation),
      answers: { 204: NO_CONTENT },
      async handle({ target: { org, team: id }, body, caller }, services) {
        signInOf(services)
        const isAdded = method === 'POST'
        const directory = await directoryOf(services, org, caller)
        const team = visibleTeam(directory, id, caller)
        checkMayFill(directory.policy, [team], caller)
        for (const given of body) {
          const all =
            relation === 'users'
              ? await byLogin(given, services, caller)
              : await byMembership(given, directory)
          const [person] = all.flatMap((one) =>
            'user' in one ? [{ person: one.user, login: one.login }] : [],
          )
          // A person is in the team by their own id, and out of it by every way in.
          const wanted = isAdded ? all.slice(0, 1) : all
          const change = {
            type: isAdded ? ('team.member-added' as const) : ('team.member-removed' as const),
            data: { team: id, ...(person ?? { invitation: given }) },
            transition: <T extends OrgPolicy>(policy: T) => {
              findTeam(policy, id)
              return wanted.reduce((next, one) => moved(next, id, one, isAdded), policy)
            },
          }
          await services.orgAccess.change(org, change, caller)
        }
        return { status: 204 as const }
      },
    }),
  ),
)
