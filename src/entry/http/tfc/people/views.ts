import {
  type Caller,
  type PersonDocument,
  type Team,
  isOwners,
  organizationAccess,
} from '../../../../access/index.ts'
import { type ResourceObject, many, one } from '../kit/json-api.ts'
import type { Directory, Membership } from './directory.ts'
import { membershipIdOf } from './membership-ids.ts'
import { viewUser } from './user-view.ts'

/** An e-mail address is for the person, and for those who see who belongs to the organization. */
export function viewMember(
  person: Pick<PersonDocument, 'id' | 'login' | 'email'>,
  { principal, sight }: Pick<Caller, 'principal' | 'sight'>,
): ResourceObject {
  const isOwn = principal.kind === 'user' && principal.id === person.id
  const showsEmail = isOwn || sight === undefined || sight.may('access:read', undefined)
  const { id, login: username, email = '' } = person
  const user = viewUser({ id, username, email, isService: false }, isOwn)
  return { ...user, attributes: { ...user.attributes, email: showsEmail ? email : null } }
}

export async function viewTeam(
  team: Team,
  directory: Pick<Directory, 'policy' | 'org' | 'orgName' | 'membersOf'>,
  { sight }: Pick<Caller, 'sight'>,
): Promise<{ readonly team: ResourceObject; readonly members: readonly PersonDocument[] }> {
  const { policy, org, orgName } = directory
  const members = await directory.membersOf(team)
  const may = (action: 'team:manage' | 'role:manage' | 'token:manage') =>
    sight === undefined || sight.may(action, undefined)
  return {
    members,
    team: {
      id: team.id,
      type: 'teams',
      attributes: {
        name: team.name,
        'is-unified': false,
        'organization-access': organizationAccess(policy, team),
        visibility: team.visibility ?? 'secret',
        'users-count': members.length,
        'sso-team-id': team.ssoTeamId ?? null,
        'allow-member-token-management': team.allowMemberTokens ?? false,
        permissions: {
          'can-destroy': may('team:manage') && !isOwners(policy, team),
          'can-update': may('team:manage'),
          'can-update-membership': may('team:manage'),
          'can-update-organization-access': may('role:manage'),
          'can-update-api-token': may('token:manage'),
          'can-update-visibility': may('team:manage'),
          'can-update-name': may('team:manage') && !isOwners(policy, team),
          'can-update-sso-team-id': may('team:manage'),
        },
      },
      relationships: {
        organization: one('organizations', orgName),
        users: many(
          'users',
          members.map(({ id }) => id),
        ),
        'organization-memberships': many('organization-memberships', [
          ...members.map((person) => membershipIdFor(person, directory)),
          ...invitedTo(team, directory, members),
        ]),
      },
      links: { self: `/api/v2/teams/${team.id}`, organization: `/api/v2/organizations/${org}` },
    },
  }
}

function membershipIdFor(
  { id, email }: PersonDocument,
  { policy, org }: Pick<Directory, 'policy' | 'org'>,
): string {
  const invitation = policy.invitations?.find((one) => one.email === email)
  return invitation?.id ?? membershipIdOf(id, org)
}

/** Invitations of people who have not signed in yet. */
function invitedTo(
  team: Team,
  { policy }: Pick<Directory, 'policy'>,
  members: readonly PersonDocument[],
): readonly string[] {
  const present = new Set(members.map(({ email }) => email))
  return (policy.invitations ?? [])
    .filter((one) => one.teams.includes(team.id) && !present.has(one.email))
    .map(({ id }) => id)
}

export function viewMembership(
  membership: Membership,
  { orgName }: Pick<Directory, 'orgName'>,
): ResourceObject {
  const { id, person, email, teams } = membership
  return {
    id,
    type: 'organization-memberships',
    attributes: { status: person === undefined ? 'invited' : 'active', email },
    relationships: {
      organization: one('organizations', orgName),
      user: one('users', userOf(membership).id),
      teams: many(
        'teams',
        teams.map((team) => team.id),
      ),
    },
    links: { self: `/api/v2/organization-memberships/${id}` },
  }
}

/** Clients need a user for every membership, so an address that has been invited is shown as one. */
export function userOf({ id, person, email }: Membership): Pick<PersonDocument, 'id' | 'login' | 'email'> {
  return person ?? { id: id.replace(/^ou-/, 'user-'), login: email, email }
}
