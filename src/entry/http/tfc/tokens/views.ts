import { type Caller, type OrgPolicy, type TokenView, findTeam } from '../../../../access/index.ts'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import type { TfcServices } from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { type Relationship, type ResourceObject, one } from '../kit/json-api.ts'

/** Shows tokens of an organization, or of people: then there is no policy. */
export function tokenViewer(
  { signIn, control }: Pick<TfcServices, 'signIn' | 'control'>,
  policy: OrgPolicy | undefined,
  caller: Caller,
): (token: TokenView, text?: string) => Promise<ResourceObject> {
  const users = new Map<string, Promise<string | undefined>>()

  async function idOf(login: string): Promise<string | undefined> {
    try {
      return (await signIn?.people.get(login, caller))?.id
    } catch (error) {
      if (isTacoError(error, 'NOT_FOUND')) return undefined
      throw error
    }
  }

  /** A creator that is neither a person nor a team is shown as the organization. For agent tokens, clients expect a person. */
  async function creatorOf({ createdBy, org, kind }: TokenView): Promise<Relationship> {
    const login = /^user:(.*)$/s.exec(createdBy)?.[1]
    if (login !== undefined) {
      let found = users.get(login)
      if (found === undefined) users.set(login, (found = idOf(login)))
      return one('users', await found)
    }
    if (kind === 'agent') return one('users', null)
    const team = /^team:[^/]*\/(.*)$/s.exec(createdBy)?.[1]
    if (team !== undefined && policy !== undefined) return one('teams', teamNamed(policy, team))
    return one('organizations', org === null ? null : control.orgNames.nameOf(org))
  }

  return async (token, text) => ({
    id: token.id,
    type: 'authentication-tokens',
    attributes: {
      'created-at': token.createdAt,
      'last-used-at': token.lastUsedAt,
      // The one that is replaced by the next has no name of its own.
      description: token.slot === null ? token.name : '',
      token: text ?? null,
      'expired-at': token.expiresAt,
    },
    relationships: {
      'created-by': await creatorOf(token),
      ...(token.team === null ? {} : { team: one('teams', token.team) }),
    },
    links: { self: `/api/v2/authentication-tokens/${token.id}` },
  })
}

function teamNamed(policy: OrgPolicy, name: string): string | null {
  try {
    return findTeam(policy, name).id
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND')) return null
    throw error
  }
}

/** What services say of a token, in the words of this API. */
export async function inTheseWords<T>(making: () => Promise<T>): Promise<T> {
  try {
    return await making()
  } catch (error) {
    if (error instanceof TacoError && error.facts['field'] === 'expiresAt')
      throw invalidAttribute('expired-at', error.message, error.hint)
    throw error
  }
}
