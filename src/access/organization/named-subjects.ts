import { badRequest } from '../../base/errors.ts'
import type { Caller } from '../caller.ts'
import type { People } from '../people/people.ts'
import { EVERYONE } from '../subjects.ts'
import type { OrgPolicy } from './document.ts'
import { checkGroup, findTeam } from './transitions.ts'

export const EMAIL = /^[^\s@:]+@[^\s@:]+\.[^\s@:]+$/

/**
 * What a person writes, as it is stored: `user:alice` and `team:ops` by id, `group:<provider>/<group>`,
 * `email:<address>` for people who have not signed in yet, `everyone`.
 */
export async function parseSubject(
  text: string,
  {
    policy,
    people,
  }: { readonly policy?: OrgPolicy | undefined; readonly people: Pick<People, 'get'> | undefined },
  caller: Caller,
): Promise<string> {
  const [kind, name = ''] = splitOnce(text)
  if (text === EVERYONE) return text
  if (kind === 'user' && name !== '' && people !== undefined)
    return `user:${(await people.get(name, caller)).id}`
  if (kind === 'team' && name !== '' && policy !== undefined) return `team:${findTeam(policy, name).id}`
  if (kind === 'group' && name !== '') {
    checkGroup('to', name)
    return text
  }
  if (kind === 'email' && EMAIL.test(name)) return `email:${name.toLowerCase()}`
  throw badRequest(
    'to',
    `"${text}" does not name a person, a team or a group.`,
    'Write user:<login>, team:<name>, group:<provider>/<group>, email:<address>, or everyone.',
  )
}

/** The other way round, for people. What is gone keeps its id. */
export async function saySubject(
  to: string,
  {
    policy,
    people,
  }: { readonly policy?: OrgPolicy | undefined; readonly people: Pick<People, 'fresh'> | undefined },
): Promise<string> {
  const [kind, id = ''] = splitOnce(to)
  if (kind === 'user') return `user:${(await people?.fresh(id))?.login ?? id}`
  if (kind === 'team') return `team:${policy?.teams.find((team) => team.id === id)?.name ?? id}`
  return to
}

function splitOnce(text: string): [string, string?] {
  const colon = text.indexOf(':')
  return colon === -1 ? [text] : [text.slice(0, colon), text.slice(colon + 1)]
}
