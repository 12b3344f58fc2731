import { type Caller, type OrgPolicy, type Team, canGiveAccess } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'

/**
 * Refuses to change who is in a team that can give access. Otherwise everyone who manages teams could make themselves an
 * owner.
 */
export function checkMayFill(
  policy: OrgPolicy,
  teams: readonly Pick<Team, 'id' | 'name'>[],
  caller: Caller,
): void {
  if (caller.sight === undefined || caller.sight.may('role:manage', undefined)) return
  const team = teams.find(({ id }) => canGiveAccess(policy, `team:${id}`))
  if (team !== undefined)
    throw new TacoError('FORBIDDEN', `The team ${team.name} can change who may do what.`, {
      facts: { action: 'role:manage' },
      hint: 'To change its members or its tokens takes role:manage. Ask an owner of the organization.',
    })
}
