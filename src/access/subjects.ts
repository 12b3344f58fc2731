import type { OrgPolicy } from './organization/document.ts'
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
  const grants = grantsOf(policy, subjects)
  if (!isAdministrator) return grants
  return [...grants, { role: BUILT_IN_ROLES.owner, through: 'administrator of the server' }]
}

function ofTeam({ id, name }: { readonly id: string; readonly name: string }): Subject {
  return { to: `team:${id}`, through: `team:${name}` }
}

function teamsOf({ teams }: OrgPolicy, { id, groups }: UserPrincipal): Subject[] {
  const own = new Set(groups)
  return teams
    .filter((team) => team.members.includes(id) || team.groups.some((group) => own.has(group)))
    .map(ofTeam)
}

function ofToken(policy: OrgPolicy, { roles, name }: TokenPrincipal): Grant[] {
  const known = new Map(policy.roles.map((role) => [role.name, role]))
  return roles.map((one) => ({ role: findRole(known, one) ?? unknownRole(one), through: `token:${name}` }))
}
