import type { OrgPolicy } from '../organization/document.ts'
import type { OrgAccess } from '../organization/org-access.ts'
import { findTeam } from '../organization/transitions.ts'
import { type People, principalOf } from '../people/people.ts'
import type { PersonDocument } from '../people/person.ts'
import { checkBinding } from '../policy/check-role.ts'
import type { Via } from '../principal.ts'
import type { TokenOwner } from './document.ts'
import type { TokenOwners } from './validated-tokens.ts'

/** At once where the person and the team were read a moment ago. */
export function createTokenOwners(
  people: Pick<People, 'fresh'>,
  orgs: Pick<OrgAccess, 'fresh'>,
): TokenOwners {
  const userOf = (person: PersonDocument | undefined, via: Via) => person && principalOf(person, via)
  const teamOf = ({ org, teams }: OrgPolicy, id: string, via: Via) => {
    const team = teams.find((one) => one.id === id)
    return team && ({ kind: 'team', id, name: team.name, org, via } as const)
  }
  return {
    user(id, via) {
      const person = people.fresh(id)
      return person instanceof Promise ? person.then((one) => userOf(one, via)) : userOf(person, via)
    },
    team({ org, id }, via) {
      const policy = orgs.fresh(org)
      return policy instanceof Promise ? policy.then((one) => teamOf(one, id, via)) : teamOf(policy, id, via)
    },
  }
}

/** The owner of a new token of an organization. Throws if it names a team or a role that does not exist. */
export function ownerIn(
  policy: OrgPolicy,
  wanted:
    | { readonly kind: 'team'; readonly team: string }
    | { readonly kind: 'organization' | 'agent'; readonly roles: readonly string[] },
): TokenOwner {
  const { org } = policy
  if (wanted.kind === 'team') return { kind: 'team', org, team: findTeam(policy, wanted.team).id }
  for (const role of wanted.roles) checkBinding({ role, to: 'token' }, policy.roles)
  return { kind: wanted.kind, org, roles: [...wanted.roles] }
}
