import { z } from 'zod'
import type { Caller, TokenOwner, TokensOf } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import { signInOf } from '../../auth/sign-in-of.ts'
import { NO_CONTENT, type TfcServices, documented, ofServer, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { directoryOf } from '../people/directory.ts'
import { checkMayIssue, visibleTeam } from '../people/rights.ts'
import { tokenBody } from './attributes.ts'
import { inTheseWords, tokenViewer } from './views.ts'

const tags = ['terraform cloud']

/** Everyone manages their own tokens, and no one else's. */
function ownOf({ principal }: Caller, user: string): { readonly user: string } {
  if (principal.kind !== 'user')
    throw new TacoError('FORBIDDEN', 'Only people have personal tokens.', {
      hint: 'Use the token of a person, or create a token of a team or an organization.',
    })
  if (user !== principal.id && user !== principal.name) throw notFound()
  return { user: principal.id }
}

const ofUser = {
  action: 'account:manage',
  tags,
  path: '/api/v2/users/{user}/authentication-tokens',
  params: z.object({ user: z.string() }),
  target: ofServer,
} as const

export const userTokenRoutes = [
  route({
    ...ofUser,
    method: 'POST',
    id: 'tfcCreateUserToken',
    summary: 'Create a personal token of yours',
    isSecret: true,
    body: tokenBody,
    answers: { 201: documented('The token, with its secret') },
    async handle({ params: { user }, body, caller }, services) {
      const { tokens } = signInOf(services)
      const owner = { kind: 'personal', ...ownOf(caller, user) } as const
      const { description, 'expired-at': expiresAt } = body?.attributes ?? {}
      const wanted = { name: description ?? 'token', owner, expiresAt: expiresAt ?? undefined }
      const { token, text } = await inTheseWords(() => tokens.create(wanted, caller))
      return { status: 201, ...document(await tokenViewer(services, undefined, caller)(token, text)) }
    },
  }),
  route({
    ...ofUser,
    method: 'GET',
    id: 'tfcListUserTokens',
    summary: 'List your personal tokens',
    query: z.object(paging),
    answers: { 200: documented('The tokens, without their secrets') },
    async handle({ params: { user }, query, caller, x }, services) {
      const { signIn } = services
      const all = signIn === undefined ? [] : await signIn.tokens.list(ownOf(caller, user), caller)
      const page = paged(
        all.filter(({ status }) => status === 'active'),
        query,
        x,
      )
      const view = tokenViewer(services, undefined, caller)
      const items = await Promise.all(page.items.map((token) => view(token)))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
]

/** Whose token a request is about. What it may do follows from that. */
async function ownerOf(
  { params: { token } }: { readonly params: { readonly token: string } },
  services: Pick<TfcServices, 'signIn'>,
) {
  const owner = await services.signIn?.tokens.ownerOf(token)
  if (owner === undefined || owner.kind === 'workload') throw notFound()
  return { ...(owner.kind === 'personal' ? {} : { org: owner.org }), owner }
}

/** Refuses what the caller may not do with a token, and says whose tokens it may use. */
async function permitted(services: TfcServices, owner: TokenOwner, caller: Caller): Promise<TokensOf> {
  if (owner.kind === 'personal') return ownOf(caller, owner.user)
  if (owner.kind === 'team') {
    const { policy, teams } = await directoryOf(services, owner.org, caller)
    checkMayIssue(policy, visibleTeam({ policy, teams }, owner.team, caller), caller)
  } else if (caller.sight?.may('token:manage', undefined) === false)
    throw new TacoError('FORBIDDEN', 'You have no permission to manage the tokens of this organization.', {
      facts: { action: 'token:manage' },
      hint: 'Ask an owner of the organization.',
    })
  return { org: owner.org }
}

const byId = {
  action: 'org:read',
  isFiltered: true,
  tags,
  path: '/api/v2/authentication-tokens/{token}',
  params: z.object({ token: z.string() }),
  target: ownerOf,
  also: ({ target: { owner } }: { readonly target: { readonly owner: TokenOwner } }) =>
    owner.kind === 'personal' ? [{ action: 'account:manage' as const, resource: {} }] : [],
} as const

export const tokenByIdRoutes = [
  route({
    ...byId,
    method: 'GET',
    id: 'tfcShowToken',
    summary: 'Show a token of a person, a team, an organization or an agent',
    answers: { 200: documented('The token, without its secret') },
    async handle({ target: { owner }, params: { token: id }, caller }, services) {
      const of = await permitted(services, owner, caller)
      const token = await signInOf(services).tokens.get(id, of, caller)
      if (token.status !== 'active') throw notFound()
      const policy = token.org === null ? undefined : await services.orgAccess.get(token.org, caller)
      return { status: 200, ...document(await tokenViewer(services, policy, caller)(token)) }
    },
  }),
  route({
    ...byId,
    method: 'DELETE',
    id: 'tfcDeleteToken',
    summary: 'Revoke a token of a person, a team, an organization or an agent',
    answers: { 204: NO_CONTENT },
    async handle({ target: { owner }, params: { token: id }, caller }, services) {
      const of = await permitted(services, owner, caller)
      const { tokens } = signInOf(services)
      if ((await tokens.get(id, of, caller)).status !== 'active') throw notFound()
      await tokens.revoke(id, of, caller)
      return { status: 204 }
    },
  }),
]
