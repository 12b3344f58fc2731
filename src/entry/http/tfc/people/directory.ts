import {
  type Caller,
  type Invitation,
  type OrgPolicy,
  type PersonDocument,
  type Team,
  groupsOf,
  invitationsOf,
  isInTeam,
  teamsIn,
} from '../../../../access/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { membershipIdOf } from './membership-ids.ts'

/** Somebody who belongs to an organization: through a role, a team or an invitation. */
export interface Membership {
  readonly id: string
  /** Undefined: invited, and never signed in with that address. */
  readonly person: PersonDocument | undefined
  readonly email: string
  readonly invitations: readonly Invitation[]
  readonly teams: readonly Team[]
}

/** The people and teams of an organization, as they are at one moment. People are read only when they are asked for. */
export interface Directory {
  readonly org: string
  /** As clients call the organization. */
  readonly orgName: string
  readonly policy: OrgPolicy
  readonly teams: readonly Team[]
  membersOf(team: Team): Promise<readonly PersonDocument[]>
  memberships(): Promise<readonly Membership[]>
}

/** More than any server has: people are listed at once. */
const ALL = 1_000_000

export async function directoryOf(
  { control, orgAccess, signIn }: Pick<TfcServices, 'control' | 'orgAccess' | 'signIn'>,
  org: string,
  caller: Caller,
): Promise<Directory> {
  await control.orgs.get(org, caller)
  return directoryWith({ control, signIn }, await orgAccess.get(org, caller), caller)
}

/** Of a policy that has just been read or written. */
export function directoryWith(
  { control, signIn }: Pick<TfcServices, 'control' | 'signIn'>,
  policy: OrgPolicy,
  caller: Caller,
): Directory {
  const { org } = policy
  const teams = teamsIn(policy)
  let everyone: Promise<readonly PersonDocument[]> | undefined

  async function list(): Promise<readonly PersonDocument[]> {
    return (await signIn?.people.list({ limit: ALL }, caller))?.items ?? []
  }

  async function named(ids: readonly string[]): Promise<readonly PersonDocument[]> {
    const found = await Promise.all(ids.map((id) => signIn?.people.fresh(id)))
    return found.filter((person) => person !== undefined)
  }

  async function membersOf(team: Team): Promise<readonly PersonDocument[]> {
    const isByHand =
      team.groups.length === 0 && !policy.invitations?.some((one) => one.teams.includes(team.id))
    const candidates = isByHand ? await named(team.members) : await (everyone ??= list())
    return candidates.filter((person) => isInTeam(policy, team, asMember(person)))
  }

  function membershipOf(person: PersonDocument): Membership | undefined {
    const asOne = asMember(person)
    const invitations = invitationsOf(policy, asOne)
    const own = teams.filter((team) => isInTeam(policy, team, asOne))
    if (invitations.length + own.length === 0 && !hasRole(policy, asOne)) return undefined
    const id = invitations[0]?.id ?? membershipIdOf(person.id, org)
    return { id, person, email: person.email ?? '', invitations, teams: own }
  }

  return {
    org,
    orgName: control.orgNames.nameOf(org),
    policy,
    teams,
    membersOf,
    async memberships() {
      const members = (await (everyone ??= list())).flatMap((person) => membershipOf(person) ?? [])
      const taken = new Set(members.flatMap((one) => one.invitations.map(({ id }) => id)))
      const waiting = (policy.invitations ?? []).filter(({ id }) => !taken.has(id))
      const invited = waiting.map((invitation) => ({
        id: invitation.id,
        person: undefined,
        email: invitation.email,
        invitations: [invitation],
        teams: teams.filter((team) => invitation.teams.includes(team.id)),
      }))
      return [...members, ...invited]
    },
  }
}

type Member = Parameters<typeof isInTeam>[2]

function asMember(person: PersonDocument): Member {
  return { id: person.id, groups: groupsOf(person), email: person.email }
}

/** A role that everyone has makes no one a member. */
function hasRole({ bindings }: OrgPolicy, { id, groups, email }: Member): boolean {
  const names = new Set([`user:${id}`, `email:${email}`, ...groups.map((group) => `group:${group}`)])
  return bindings.some(({ to }) => names.has(to))
}
