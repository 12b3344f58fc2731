import { type Caller, type OrgPolicy, type Team, isInTeam } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import { notFound } from '../kit/errors.ts'

/** What callers may do with teams, beyond the right that a route asks for. Pure. */

function may({ sight }: Pick<Caller, 'sight'>, action: 'access:read' | 'token:manage'): boolean {
  return sight === undefined || sight.may(action, undefined)
}

export function isMember(policy: OrgPolicy, team: Team, { principal }: Caller): boolean {
  if (principal.kind === 'team') return principal.id === team.id
  return principal.kind === 'user' && isInTeam(policy, team, principal)
}

/** Teams are visible to their members, to those who see who may do what, and to everyone if the team says so. */
export function isVisible(policy: OrgPolicy, team: Team, caller: Caller): boolean {
  return team.visibility === 'organization' || may(caller, 'access:read') || isMember(policy, team, caller)
}

/** The team, if the caller may see it. */
export function visibleTeam(
  { policy, teams }: { readonly policy: OrgPolicy; readonly teams: readonly Team[] },
  id: string,
  caller: Caller,
): Team {
  const team = teams.find((one) => one.id === id)
  if (team === undefined || !isVisible(policy, team, caller)) throw notFound()
  return team
}

/** Those who manage tokens, and members of a team that lets them. Members need a token without a scope. */
export function checkMayIssue(policy: OrgPolicy, team: Team, caller: Caller): void {
  if (may(caller, 'token:manage')) return
  const { principal } = caller
  const isScoped = 'scope' in principal && principal.scope !== undefined
  if (team.allowMemberTokens === true && !isScoped && isMember(policy, team, caller)) return
  throw new TacoError('FORBIDDEN', `You have no permission to manage the tokens of the team ${team.name}.`, {
    facts: { action: 'token:manage' },
    hint: 'Ask an owner of the organization.',
  })
}
