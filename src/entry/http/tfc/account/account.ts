import { z } from 'zod'
import { type Caller, principalText } from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import { resource } from '../kit/body.ts'
import { type TfcServices, documented, ofServer, route } from '../kit/define.ts'
import { invalidAttribute, notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { type Account, viewUser } from '../people/user-view.ts'

const tags = ['terraform cloud']

/** The caller as a user: a person, or what a token that stands for no person is called. */
async function accountOf({ principal }: Caller, { signIn }: TfcServices, caller: Caller): Promise<Account> {
  if (principal.kind === 'user' && signIn !== undefined) {
    const { id, login, email = '' } = await signIn.people.get(principal.id, caller)
    return { id, username: login, email, isService: false }
  }
  const username = principalText(principal).replaceAll(/[:/]/g, '-')
  const id = 'id' in principal ? principal.id : `user-${username}`
  return { id, username, email: '', isService: principal.kind !== 'anonymous' }
}

/** Both come from the provider that the person signs in with. */
function refuseChange(
  attribute: 'username' | 'email',
  given: string | null | undefined,
  current: string,
): void {
  if (given != null && given !== current)
    throw invalidAttribute(
      attribute,
      `The ${attribute} cannot be changed here.`,
      'Change it where you sign in.',
    )
}

export const accountRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/account/details',
    id: 'tfcShowAccount',
    action: 'server:read',
    tags,
    summary: 'Who the caller is',
    target: ofServer,
    answers: { 200: documented('The user') },
    async handle({ caller }, services) {
      return { status: 200, ...document(viewUser(await accountOf(caller, services, caller), true)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/account/update',
    id: 'tfcUpdateAccount',
    action: 'account:manage',
    tags,
    summary: 'Change the account: name and e-mail address come from where people sign in',
    body: resource('users', {
      attributes: { username: z.string().nullish(), email: z.string().nullish() },
    }),
    target: ofServer,
    answers: { 200: documented('The user') },
    async handle({ body: { attributes }, caller }, services) {
      const account = await accountOf(caller, services, caller)
      refuseChange('username', attributes.username, account.username)
      refuseChange('email', attributes.email, account.email)
      return { status: 200, ...document(viewUser(account, true)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/users/{user}',
    id: 'tfcShowUser',
    action: 'server:read',
    tags,
    summary: 'Show a user',
    params: z.object({ user: z.string() }),
    target: ofServer,
    answers: { 200: documented('The user') },
    async handle({ params, caller }, services) {
      const self = await accountOf(caller, services, caller)
      if (self.id === params.user) return { status: 200, ...document(viewUser(self, true)) }
      const person = await services.signIn?.people.get(params.user, caller).catch((error: unknown) => {
        if (isTacoError(error, 'NOT_FOUND')) return undefined
        throw error
      })
      if (person?.id !== params.user) throw notFound()
      const account = { id: person.id, username: person.login, email: '', isService: false }
      return { status: 200, ...document(viewUser(account, false)) }
    },
  }),
]
