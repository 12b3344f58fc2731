import {
  type AccessTo,
  type Caller,
  type OrgAccess,
  type OrgPolicy,
  findTeam,
  hasAccess,
  removeAccess,
  setAccess,
} from '../../../../access/index.ts'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { invalidRelation } from '../kit/errors.ts'

/** The id of the team that a request is about. */
export function teamIn(policy: OrgPolicy, team: string | null | undefined): string {
  if (team === undefined || team === null) throw invalidRelation('team', 'Name the team that gets access.')
  try {
    return findTeam(policy, team).id
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND'))
      throw invalidRelation('team', `There is no team ${team} in this organization.`)
    throw error
  }
}

interface Wanted {
  readonly org: string
  readonly access: AccessTo
  readonly role: string
  /** Refuse if the team has access there already. */
  readonly isNew?: boolean
}

/** Gives a team a role on one unit or one project, instead of what it had there. */
export function change(
  { orgAccess }: { readonly orgAccess: OrgAccess },
  { org, access, role, isNew = false }: Wanted,
  caller: Caller,
): Promise<OrgPolicy> {
  const data = { role, to: `team:${access.team}`, ...whereOf(access) }
  const transition = <T extends OrgPolicy>(policy: T): T => {
    findTeam(policy, access.team)
    if (isNew && hasAccess(policy, access))
      throw new TacoError('ALREADY_EXISTS', 'The team has access there already.', {
        facts: { field: 'data.relationships.team' },
        hint: 'Change that access instead.',
      })
    return setAccess(policy, access, role)
  }
  return orgAccess.change(org, { type: 'role.granted', data, transition }, caller)
}

export async function takeAway(
  orgAccess: OrgAccess,
  org: string,
  access: AccessTo,
  caller: Caller,
): Promise<void> {
  const data = { to: `team:${access.team}`, ...whereOf(access) }
  const transition = <T extends OrgPolicy>(policy: T): T => removeAccess(policy, access)
  await orgAccess.change(org, { type: 'role.revoked', data, transition }, caller)
}

function whereOf(access: AccessTo) {
  return 'unit' in access ? { units: [access.unit] } : { project: access.project }
}
