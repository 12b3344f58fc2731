import { type OrgAccess, type People, findTeam } from '../../../access/index.ts'
import { badRequest } from '../../../base/errors.ts'
import { didYouMean, nearest } from '../../../base/text/nearest.ts'
import { KNOWN_TRIGGERS, type Scope } from '../../../notifications/index.ts'
import type { Projects } from '../../../projects/index.ts'
import type { Caller, StateControl } from '../../../state/index.ts'

/** What a notification is about, as people name it. None of them: the organization. */
export interface NamedScope {
  readonly unit?: string | undefined
  readonly project?: string | undefined
  readonly team?: string | undefined
}

interface Services {
  readonly control: Pick<StateControl, 'units'>
  readonly projects: Pick<Projects, 'get'>
  readonly orgAccess: Pick<OrgAccess, 'get'>
}

export async function scopeOf(
  { control, projects, orgAccess }: Services,
  org: string,
  { unit, project, team }: NamedScope,
  caller: Caller,
): Promise<Scope> {
  if ([unit, project, team].filter((one) => one !== undefined).length > 1)
    throw badRequest('unit', 'A notification has one scope.', 'Give one of unit, project and team, or none.')
  if (unit !== undefined) return { kind: 'unit', id: (await control.units.get({ org, unit }, caller)).id }
  if (team !== undefined) return { kind: 'team', id: findTeam(await orgAccess.get(org, caller), team).id }
  if (project === undefined) return { kind: 'organization' }
  return { kind: 'project', id: (await projects.get(org, project)).id }
}

/** A person who types a trigger should hear about a mistake in it. */
export function checkTriggers(triggers: readonly string[] = []): void {
  const unknown = triggers.find((trigger) => !KNOWN_TRIGGERS.includes(trigger))
  if (unknown === undefined) return
  throw badRequest(
    'triggers',
    `There is no trigger ${unknown}.`,
    didYouMean(nearest(unknown, KNOWN_TRIGGERS), 'All triggers are in docs/notifications.md.'),
  )
}

/** Ids of people who are given by id or login name. */
export async function userIds(
  { signIn }: { readonly signIn?: { readonly people: Pick<People, 'get'> } | undefined },
  users: readonly string[] | undefined,
  caller: Caller,
): Promise<readonly string[] | undefined> {
  if (users === undefined || users.length === 0) return users
  if (signIn === undefined)
    throw badRequest('users', 'This server knows no people.', 'Give e-mail addresses instead.')
  return Promise.all(users.map(async (user) => (await signIn.people.get(user, caller)).id))
}
