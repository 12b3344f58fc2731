import {
  type Caller,
  type OrgPolicy,
  type People,
  type Team,
  addTeam,
  addTeamMember,
  changeTeam,
  checkUnchanged,
  findTeam,
  removeTeam,
  removeTeamMember,
} from '../../../../access/index.ts'
import { checkMayFill } from '../../auth/team-rights.ts'
import type { HttpDeps } from '../../deps.ts'

type Services = Pick<HttpDeps, 'orgAccess' | 'ids' | 'clock'>

interface TeamFields {
  readonly name: string
  readonly description?: string | undefined
  readonly groups: readonly string[]
}

interface Changed {
  readonly policy: OrgPolicy
  readonly id: string
}

export async function createTeam(
  { orgAccess, ids, clock }: Services,
  org: string,
  { name, description, groups }: TeamFields,
  caller: Caller,
): Promise<Changed> {
  const team: Team = {
    name,
    ...(description === undefined ? {} : { description }),
    groups: [...groups],
    id: ids.id('team'),
    members: [],
    createdAt: clock.now(),
  }
  const change = {
    type: 'team.created' as const,
    data: { team: team.id, name },
    transition: <T extends OrgPolicy>(policy: T) => addTeam(policy, team),
  }
  return { policy: await orgAccess.change(org, change, caller), id: team.id }
}

/** `seen`: the etag of the team that the caller read; it must still be that one. */
export async function updateTeam(
  { orgAccess }: Services,
  org: string,
  nameOrId: string,
  fields: { readonly [K in keyof TeamFields]?: TeamFields[K] | undefined },
  caller: Caller,
  seen?: string,
): Promise<Changed> {
  const before = await orgAccess.get(org, caller)
  const { id, name } = findTeam(before, nameOrId)
  if (fields.groups !== undefined) checkMayFill(before, [{ id, name }], caller)
  const change = {
    type: 'team.changed' as const,
    data: { team: id, ...fields },
    transition: <T extends OrgPolicy>(policy: T) => {
      checkUnchanged(seen, findTeam(policy, id), `The team ${name}`)
      return changeTeam(policy, id, fields)
    },
  }
  return { policy: await orgAccess.change(org, change, caller), id }
}

export async function deleteTeam(
  { orgAccess }: Services,
  org: string,
  nameOrId: string,
  caller: Caller,
): Promise<void> {
  const { id, name } = findTeam(await orgAccess.get(org, caller), nameOrId)
  const change = {
    type: 'team.deleted' as const,
    data: { team: id, name },
    transition: <T extends OrgPolicy>(policy: T) => removeTeam(policy, id),
  }
  await orgAccess.change(org, change, caller)
}

/** Adds a person to a team, or removes one. `person`: a login name or an id. */
export async function setTeamMember(
  { orgAccess, people }: Services & { readonly people: Pick<People, 'get'> },
  org: string,
  {
    team,
    person: loginOrId,
    isMember,
  }: { readonly team: string; readonly person: string; readonly isMember: boolean },
  caller: Caller,
): Promise<Changed> {
  const person = await people.get(loginOrId, caller)
  const before = await orgAccess.get(org, caller)
  const { id, name } = findTeam(before, team)
  checkMayFill(before, [{ id, name }], caller)
  const change = {
    type: isMember ? ('team.member-added' as const) : ('team.member-removed' as const),
    data: { team: id, person: person.id, login: person.login },
    transition: <T extends OrgPolicy>(policy: T) =>
      isMember ? addTeamMember(policy, id, person.id) : removeTeamMember(policy, id, person.id),
  }
  return { policy: await orgAccess.change(org, change, caller), id }
}
