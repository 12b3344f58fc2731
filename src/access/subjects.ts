import type { Invitation, OrgPolicy, Team } from './organization/document.ts'
import { BUILT_IN_ROLES } from './policy/built-in-roles.ts'
import { type Subject, findRole, grantsOf, unknownRole } from './policy/bindings.ts'
import type { Grant } from './policy/rules.ts'
import type { TeamPrincipal, TokenPrincipal, UserPrincipal } from './principal.ts'

/** As whom a person appears on lists of subjects, apart from teams. */
export function namesOf({ id, groups, email }: Pick<UserPrincipal, 'id' | 'groups' | 'email'>): Subject[] {
  return [
    { to: `user:${id}`, through: 'direct' },
    ...(email === undefined ? [] : [{ to: `email:${email}`, through: `email:${email}` }]),
    ...groups.map((group) => ({ to: `group:${group}`, through: `group:${group}` })),
    { to: EVERYONE, through: EVERYONE },
  ]
}

/** Everyone who can sign in. */
export const EVERYONE = 'everyone'

/** What a caller has in an organization. Pure. */
export function grantsIn(
  policy: OrgPolicy,
  principal: UserPrincipal | TeamPrincipal | TokenPrincipal,
  isAdministrator: boolean,
): readonly Grant[] {
  if (principal.kind !== 'user' && principal.org !== policy.org) return []
  if (principal.kind === 'token') return ofToken(policy, principal)
  const subjects =
    principal.kind === 'team' ? [ofTeam(principal)] : [...namesOf(principal), ...teamsOf(policy, principal)]
  const isInvited = principal.kind === 'user' && invitationsOf(policy, principal).length > 0
  const grants = [...(isInvited ? [MEMBER] : []), ...grantsOf(policy, subjects)]
  if (!isAdministrator) return grants
  return [...grants, { role: BUILT_IN_ROLES.owner, through: 'administrator of the server' }]
}

function ofTeam({ id, name }: { readonly id: string; readonly name: string }): Subject {
  return { to: `team:${id}`, through: `team:${name}` }
}

/** Somebody who belongs to an organization sees that it exists, and nothing more. */
const MEMBER: Grant = {
  role: {
    name: 'member',
    description: 'sees the organization',
    rules: [{ effect: 'allow', actions: ['org:read'] }],
  },
  through: 'invitation',
}

/** Those that name the person's verified e-mail address. */
export function invitationsOf(
  { invitations = [] }: OrgPolicy,
  { email }: Pick<UserPrincipal, 'email'>,
): readonly Invitation[] {
  return email === undefined ? [] : invitations.filter((one) => one.email === email)
}

type Person = Pick<UserPrincipal, 'id' | 'groups' | 'email'>

/** By hand, through a group of an identity provider, or by invitation. */
export function isInTeam(policy: OrgPolicy, team: Team, person: Person): boolean {
  return (
    team.members.includes(person.id) ||
    team.groups.some((group) => person.groups.includes(group)) ||
    invitationsOf(policy, person).some(({ teams }) => teams.includes(team.id))
  )
}

function teamsOf(policy: OrgPolicy, person: UserPrincipal): Subject[] {
  return policy.teams.filter((team) => isInTeam(policy, team, person)).map(ofTeam)
}

function ofToken(policy: OrgPolicy, { roles, name }: TokenPrincipal): Grant[] {
  const known = new Map(policy.roles.map((role) => [role.name, role]))
  return roles.map((one) => ({ role: findRole(known, one) ?? unknownRole(one), through: `token:${name}` }))
}
