import { createHash } from 'node:crypto'
import type { Binding } from '../policy/bindings.ts'
import type { OrgPolicy, Team } from './document.ts'

/** The team that every organization has in Terraform Cloud: the people with the role owner. */
export const OWNERS = 'owners'

type Policy = Pick<OrgPolicy, 'org' | 'teams' | 'bindings'>

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The same for ever, so that it needs no document until something about the team changes. */
export function ownersId(org: string): string {
  const hash = createHash('sha256').update(`owners of ${org}`).digest()
  return `team-${Array.from({ length: 16 }, (_, i) => ALPHABET[(hash[i] ?? 0) % ALPHABET.length]).join('')}`
}

/** All teams, the owners first. People who have the role owner by themselves are among them. */
export function teamsIn(policy: Policy): readonly Team[] {
  const id = ownersId(policy.org)
  const stored = policy.teams.find((team) => team.id === id)
  const others = policy.teams.filter((team) => team.id !== id)
  // From before there was a built-in one.
  if (stored === undefined && others.some(({ name }) => name.toLowerCase() === OWNERS)) return others
  const direct = policy.bindings.flatMap((one) =>
    isOwnerBinding(one) && one.to.startsWith('user:') ? [one.to.slice('user:'.length)] : [],
  )
  const team = stored ?? { id, name: OWNERS, members: [], groups: [], createdAt: 0 }
  return [{ ...team, members: [...new Set([...team.members, ...direct])] }, ...others]
}

export function isOwners({ org }: Pick<OrgPolicy, 'org'>, { id }: Pick<Team, 'id'>): boolean {
  return id === ownersId(org)
}

/** Of the whole organization. */
export function isOwnerBinding({ role, to, units, project }: Binding, whom = to): boolean {
  return role === 'owner' && units === undefined && project === undefined && to === whom
}

/** Whether anybody has the role owner, directly or through a team. */
export function hasOwner({ bindings, teams, invitations = [] }: OrgPolicy): boolean {
  return bindings.some((one) => {
    if (!isOwnerBinding(one)) return false
    const team = teams.find(({ id }) => one.to === `team:${id}`)
    if (team === undefined) return !one.to.startsWith('team:')
    const isInvitedTo = invitations.some((invitation) => invitation.teams.includes(team.id))
    return team.members.length + team.groups.length > 0 || isInvitedTo
  })
}
