import { TacoError, badRequest } from '../../base/errors.ts'
import { checkBinding, checkPatterns, checkRole } from '../policy/check-role.ts'
import type { Binding } from '../policy/bindings.ts'
import type { Role } from '../policy/rules.ts'
import type { WorkloadRule } from '../workload/rule.ts'
import type { BrokenGlass, Guard, Invitation, OrgPolicy, Team } from './document.ts'
import { OWNERS, hasOwner, isOwnerBinding, isOwners, teamsIn } from './owners.ts'

/** Changes of an organization's access document. Pure: each takes the document and gives the next one, or refuses. */

const MOST = {
  teams: 1_000,
  members: 5_000,
  groups: 100,
  roles: 200,
  bindings: 5_000,
  guards: 500,
  workloads: 200,
}

export interface TeamChange {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly groups?: readonly string[] | undefined
  readonly visibility?: string | undefined
  /** Null: it has none any more. */
  readonly ssoTeamId?: string | null | undefined
  readonly allowMemberTokens?: boolean | undefined
}

const TEAM_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,88}[A-Za-z0-9])?$/

export function findTeam(policy: Pick<OrgPolicy, 'teams' | 'org' | 'bindings'>, nameOrId: string): Team {
  const found = teamsIn(policy).find(({ id, name }) => id === nameOrId || name === nameOrId)
  if (found !== undefined) return found
  throw new TacoError('NOT_FOUND', `There is no team ${nameOrId} in the organization ${policy.org}.`, {
    facts: { field: 'team', team: nameOrId },
    hint: 'See `taco team ls`.',
  })
}

export function addTeam<T extends OrgPolicy>(policy: T, team: Team): T {
  checkTeam(policy, team)
  refuseMore('teams', policy.teams.length, MOST.teams)
  return { ...policy, teams: [...policy.teams, team] }
}

export function changeTeam<T extends OrgPolicy>(policy: T, nameOrId: string, change: TeamChange): T {
  const team = findTeam(policy, nameOrId)
  const { ssoTeamId: before, ...kept } = team
  const {
    name,
    description,
    groups = team.groups,
    visibility,
    ssoTeamId = before,
    allowMemberTokens,
  } = change
  const next: Team = {
    ...kept,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(visibility !== undefined && { visibility }),
    ...(allowMemberTokens !== undefined && { allowMemberTokens }),
    ...(ssoTeamId !== undefined && ssoTeamId !== null && { ssoTeamId }),
    groups: [...new Set(groups)],
  }
  if (isOwners(policy, team) && next.name !== team.name) throw ownersStay('renamed')
  checkTeam(policy, next)
  return withTeam(policy, next)
}

/** With its bindings: nobody could see or remove them afterwards. */
export function removeTeam<T extends OrgPolicy>(policy: T, nameOrId: string): T {
  const team = findTeam(policy, nameOrId)
  if (isOwners(policy, team)) throw ownersStay('deleted')
  const { id } = team
  return {
    ...policy,
    ...(policy.invitations && { invitations: policy.invitations.map((one) => withoutTeam(one, id)) }),
    teams: policy.teams.filter((team) => team.id !== id),
    bindings: policy.bindings.filter(({ to }) => to !== `team:${id}`),
  }
}

export function addTeamMember<T extends OrgPolicy>(policy: T, nameOrId: string, user: string): T {
  const team = findTeam(policy, nameOrId)
  if (team.members.includes(user)) return policy
  refuseMore('members', team.members.length, MOST.members)
  return withTeam(policy, { ...team, members: [...team.members, user] })
}

export function removeTeamMember<T extends OrgPolicy>(policy: T, nameOrId: string, user: string): T {
  const team = findTeam(policy, nameOrId)
  if (!team.members.includes(user)) return policy
  const next = withTeam(policy, { ...team, members: team.members.filter((member) => member !== user) })
  if (!isOwners(policy, team)) return next
  const left = { ...next, bindings: next.bindings.filter((one) => !isOwnerBinding(one, `user:${user}`)) }
  if (hasOwner(left)) return left
  throw noOwnerLeft()
}

export function noOwnerLeft(): TacoError {
  return new TacoError('CONFLICT', 'The organization would have no owner any more.', {
    facts: { field: 'team' },
    hint: 'Add another owner first.',
  })
}

function withTeam<T extends OrgPolicy>(policy: T, team: Team): T {
  if (policy.teams.some(({ id }) => id === team.id))
    return { ...policy, teams: policy.teams.map((one) => (one.id === team.id ? team : one)) }
  // The owners team exists without being stored, until something about it changes.
  const bindings = [...policy.bindings, { role: 'owner', to: `team:${team.id}` }]
  return { ...policy, teams: [...policy.teams, team], bindings }
}

function withoutTeam(invitation: Invitation, team: string): Invitation {
  return { ...invitation, teams: invitation.teams.filter((id) => id !== team) }
}

function ownersStay(what: string): TacoError {
  return new TacoError('CONFLICT', `The team ${OWNERS} cannot be ${what}.`, {
    facts: { field: 'team' },
    hint: 'Every organization has it. Change its members instead.',
  })
}

function checkTeam(policy: OrgPolicy, team: Team): void {
  if (!TEAM_NAME.test(team.name))
    throw badRequest(
      'name',
      `"${team.name}" is not a valid team name.`,
      'Use up to 90 letters, digits, "-" and "_", beginning and ending with a letter or digit.',
    )
  if (
    teamsIn(policy).some(({ id, name }) => id !== team.id && name.toLowerCase() === team.name.toLowerCase())
  )
    throw new TacoError('ALREADY_EXISTS', `There is already a team ${team.name}.`, {
      facts: { field: 'name', team: team.name },
      hint: 'Choose another name.',
    })
  refuseMore('groups', team.groups.length - 1, MOST.groups)
  for (const [i, group] of team.groups.entries()) checkGroup(`groups.${i}`, group)
}

export function checkGroup(field: string, group: string): void {
  if (/^[a-z0-9-]+\/.+$/s.test(group)) return
  throw badRequest(
    field,
    `"${group}" does not name a group of a sign-in provider.`,
    'Write <provider>/<group>, such as okta/platform. See `taco provider ls`.',
  )
}

export function putRole<T extends OrgPolicy>(policy: T, role: Role): T {
  checkRole(role)
  const others = policy.roles.filter(({ name }) => name !== role.name)
  refuseMore('roles', others.length, MOST.roles)
  return { ...policy, roles: [...others, role] }
}

export function removeRole<T extends OrgPolicy>(policy: T, name: string): T {
  if (!policy.roles.some((role) => role.name === name))
    throw new TacoError('NOT_FOUND', `There is no custom role ${name} in the organization ${policy.org}.`, {
      facts: { field: 'role', role: name },
      hint: 'See `taco role ls`. Built-in roles cannot be removed.',
    })
  const uses = policy.bindings.filter(({ role }) => role === name).length
  const workloads = policy.workloads.filter(({ roles }) => roles.includes(name)).map((rule) => rule.name)
  if (uses + workloads.length > 0)
    throw new TacoError('CONFLICT', `The role ${name} is still in use.`, {
      facts: { field: 'role', bindings: uses, workloads },
      hint: 'Remove it from everyone who has it first: see `taco access ls`.',
    })
  return { ...policy, roles: policy.roles.filter((role) => role.name !== name) }
}

export function bind<T extends OrgPolicy>(policy: T, binding: Binding): T {
  checkBinding(binding, policy.roles)
  if (policy.bindings.some((one) => isSame(one, binding))) return policy
  refuseMore('bindings', policy.bindings.length, MOST.bindings)
  return { ...policy, bindings: [...policy.bindings, binding] }
}

/** Without `units` and `project`: every binding of this role to this subject, unless `isExact`. */
export function unbind<T extends OrgPolicy>(policy: T, binding: Binding, isExact = false): T {
  const { role, to, units, project } = binding
  const isMeant = (one: Binding) =>
    one.role === role &&
    one.to === to &&
    ((!isExact && units === undefined && project === undefined) || isSame(one, binding))
  if (!policy.bindings.some(isMeant))
    throw new TacoError('NOT_FOUND', `There is no such grant of the role ${role}.`, {
      facts: { field: 'role', role },
      hint: 'See `taco access ls`.',
    })
  return { ...policy, bindings: policy.bindings.filter((one) => !isMeant(one)) }
}

function isSame(a: Binding, b: Binding): boolean {
  const key = ({ role, to, units, project }: Binding) =>
    JSON.stringify([role, to, units?.toSorted(), project])
  return key(a) === key(b)
}

export function addGuard<T extends OrgPolicy>(policy: T, guard: Guard): T {
  checkPatterns('units', guard.units)
  const key = ({ units }: Guard) => JSON.stringify(units?.toSorted())
  if (policy.guards.some((one) => key(one) === key(guard)))
    throw new TacoError('ALREADY_EXISTS', 'Exactly these units are guarded already.', {
      facts: { field: 'units' },
      hint: 'See `taco guard ls`.',
    })
  refuseMore('guards', policy.guards.length, MOST.guards)
  return { ...policy, guards: [...policy.guards, guard] }
}

export function removeGuard<T extends OrgPolicy>(policy: T, id: string): T {
  if (!policy.guards.some((guard) => guard.id === id))
    throw new TacoError('NOT_FOUND', `There is no guard ${id} in the organization ${policy.org}.`, {
      facts: { field: 'guard', guard: id },
      hint: 'See `taco guard ls`.',
    })
  return { ...policy, guards: policy.guards.filter((guard) => guard.id !== id) }
}

export function breakGlass<T extends OrgPolicy>(policy: T, broken: BrokenGlass): T {
  const others = policy.brokenGlass.filter(
    ({ unit, by, until }) => until > broken.at && (unit !== broken.unit || by !== broken.by),
  )
  return { ...policy, brokenGlass: [...others, broken] }
}

export function putWorkload<T extends OrgPolicy>(policy: T, rule: WorkloadRule): T {
  for (const role of rule.roles) checkBinding({ role, to: `workload:${rule.name}` }, policy.roles)
  const others = policy.workloads.filter(({ name }) => name !== rule.name)
  refuseMore('workloads', others.length, MOST.workloads)
  return { ...policy, workloads: [...others, rule] }
}

export function removeWorkload<T extends OrgPolicy>(policy: T, name: string): T {
  if (!policy.workloads.some((rule) => rule.name === name))
    throw new TacoError('NOT_FOUND', `There is no workload rule ${name} in the organization ${policy.org}.`, {
      facts: { field: 'workload', workload: name },
      hint: 'See `taco workload ls`.',
    })
  return { ...policy, workloads: policy.workloads.filter((rule) => rule.name !== name) }
}

function refuseMore(field: string, count: number, most: number): void {
  if (count < most) return
  throw badRequest(field, `The organization cannot have more than ${most} ${field}.`, 'Remove some first.')
}
