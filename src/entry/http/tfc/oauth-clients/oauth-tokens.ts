import { z } from 'zod'
import { resource } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { viewToken } from './oauth-clients.ts'

const tags = ['terraform cloud']
const params = z.object({ token: z.string() })

async function ofToken(
  { params: { token } }: { readonly params: z.infer<typeof params> },
  { governance }: Pick<TfcServices, 'governance'>,
) {
  const found = await governance.oauthClients.locateToken(token)
  if (found === undefined) throw notFound()
  return found
}

export const oauthTokenRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/oauth-tokens',
    id: 'tfcListOAuthTokens',
    action: 'policy:read',
    tags,
    summary: 'List OAuth tokens',
    params: OrgParams,
    query: z.object(paging),
    target: ofOrg,
    answers: { 200: documented('The OAuth tokens') },
    async handle({ target: { org }, query, x }, { governance }) {
      const tokens = (await governance.oauthClients.list(org)).flatMap(({ id, token }) =>
        token === undefined ? [] : [viewToken(token, id)],
      )
      return { status: 200, ...listed(paged(tokens, query, x)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/oauth-tokens/{token}',
    id: 'tfcShowOAuthToken',
    action: 'policy:read',
    tags,
    summary: 'Show an OAuth token, without its value',
    params,
    target: ofToken,
    answers: { 200: documented('The OAuth token') },
    handle: ({ target: { token, client } }) => ({
      status: 200 as const,
      ...document(viewToken(token, client.id)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/oauth-tokens/{token}',
    id: 'tfcUpdateOAuthToken',
    action: 'policy:manage',
    tags,
    summary: 'Give an OAuth token an SSH key',
    params,
    body: resource('oauth-tokens', { attributes: { 'ssh-key': z.string().min(1).max(65_536).nullish() } }),
    target: ofToken,
    answers: { 200: documented('The OAuth token') },
    async handle({ target: { org, token, client }, body: { attributes }, caller }, { governance }) {
      const key = attributes['ssh-key'] ?? undefined
      const changed =
        key === undefined ? client : await governance.oauthClients.setSshKey(org, token.id, key, caller)
      return { status: 200, ...document(viewToken(changed.token ?? token, client.id)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/oauth-tokens/{token}',
    id: 'tfcDeleteOAuthToken',
    action: 'policy:manage',
    tags,
    summary: 'Delete an OAuth token',
    params,
    target: ofToken,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, token }, caller }, { governance }) {
      await governance.oauthClients.removeToken(org, token.id, caller)
      return { status: 204 }
    },
  }),
]
