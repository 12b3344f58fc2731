import { TacoError, badRequest } from '../../base/errors.ts'
import type { Invitation, OrgPolicy } from './document.ts'
import { EMAIL } from './named-subjects.ts'
import { hasOwner } from './owners.ts'
import { findTeam, noOwnerLeft } from './transitions.ts'

const MOST = 5_000

/**
 * People who belong to the organization by their e-mail address. There is no moment at which an invitation is accepted:
 * whoever signs in with the verified address is a member from then on. Pure, as all changes of the document.
 */
export function addInvitation<T extends OrgPolicy>(policy: T, invitation: Invitation): T {
  const { invitations = [] } = policy
  if (!EMAIL.test(invitation.email))
    throw badRequest('email', `"${invitation.email}" is not an e-mail address.`)
  if (invitations.some(({ email }) => email === invitation.email))
    throw new TacoError('ALREADY_EXISTS', `${invitation.email} has already been invited.`, {
      facts: { field: 'email' },
    })
  if (invitations.length >= MOST)
    throw badRequest('email', `The organization cannot have more than ${MOST} invitations.`)
  for (const team of invitation.teams) findTeam(policy, team)
  return { ...policy, invitations: [...invitations, invitation] }
}

/** Puts the person of an invitation into a team, or out of it. */
export function setInvitedTeam<T extends OrgPolicy>(
  policy: T,
  id: string,
  team: string,
  isMember: boolean,
): T {
  const change = (one: Invitation): Invitation => {
    const others = one.teams.filter((other) => other !== team)
    return { ...one, teams: isMember ? [...others, team] : others }
  }
  const { invitations = [] } = policy
  const found = invitations.find((one) => one.id === id)
  if (found === undefined || found.teams.includes(team) === isMember) return policy
  return { ...policy, invitations: invitations.map((one) => (one === found ? change(one) : one)) }
}

/** Takes everything away that the person has by name: roles, teams, invitations. What groups give them stays. */
export function removeMember<T extends OrgPolicy>(
  policy: T,
  { user, email }: { readonly user?: string | undefined; readonly email?: string | undefined },
): T {
  const subjects = new Set([`user:${user}`, `email:${email}`])
  const next = {
    ...policy,
    teams: policy.teams.map((team) => ({ ...team, members: team.members.filter((one) => one !== user) })),
    bindings: policy.bindings.filter(({ to }) => !subjects.has(to)),
    ...(policy.invitations && { invitations: policy.invitations.filter((one) => one.email !== email) }),
  }
  if (hasOwner(policy) && !hasOwner(next)) throw noOwnerLeft()
  return next
}
