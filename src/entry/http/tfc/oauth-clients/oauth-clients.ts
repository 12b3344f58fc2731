import { z } from 'zod'
import {
  type OAuthClient,
  type OAuthClientFields,
  type OAuthToken,
  SERVICE_PROVIDERS,
  type ServiceProvider,
} from '../../../../governance/index.ts'
import { identifiers, resource, toMany, toOne } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { type ResourceObject, document, includes, many, one, time } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { checkAgentPool, checkProjects } from '../org-relations.ts'

const tags = ['terraform cloud']
const params = z.object({ client: z.string() })
const url = z.url({ protocol: /^https?$/ }).max(2_048)
const secret = z.string().min(1).max(65_536)
const attributes = {
  name: z.string().max(255).nullish(),
  key: z.string().max(1_024).nullish(),
  secret: secret.nullish(),
  'rsa-public-key': z.string().max(65_536).nullish(),
  'oauth-token-string': secret.nullish(),
  'organization-scoped': z.boolean().nullish(),
}
const Provider = z.enum(Object.keys(SERVICE_PROVIDERS) as [ServiceProvider, ...ServiceProvider[]])

function ofClient(
  { params: { client } }: { readonly params: z.infer<typeof params> },
  { locator, governance }: Pick<TfcServices, 'locator' | 'governance'>,
) {
  return locator.record(governance.oauthClients, client)
}

export function viewToken(token: OAuthToken, client: string): ResourceObject {
  return {
    id: token.id,
    type: 'oauth-tokens',
    attributes: {
      uid: token.id,
      'created-at': time(token.createdAt),
      'has-ssh-key': token.hasSshKey,
      'service-provider-user': null,
    },
    relationships: { 'oauth-client': one('oauth-clients', client) },
    links: { self: `/api/v2/oauth-tokens/${token.id}` },
  }
}

interface ClientsView {
  show(client: OAuthClient): ResourceObject
  included(
    clients: readonly OAuthClient[],
    query: { readonly include?: string | undefined },
  ): ResourceObject[]
}

async function clientsView(services: TfcServices, org: string): Promise<ClientsView> {
  const orgName = services.control.orgNames.nameOf(org)
  const projects = new Map((await services.projects.fresh(org)).map((project) => [project.id, project]))
  const projectsOf = (client: OAuthClient) => client.projects.filter((id) => projects.has(id))
  return {
    show: (client) => ({
      id: client.id,
      type: 'oauth-clients',
      attributes: {
        name: client.name ?? null,
        'service-provider': client.provider,
        'service-provider-display-name': displayName(client.provider),
        'api-url': client.apiUrl,
        'http-url': client.httpUrl,
        key: client.key ?? null,
        'rsa-public-key': client.rsaPublicKey ?? null,
        secret: null,
        // Tokens are given, not fetched: nobody is sent to the code host and back.
        'callback-url': null,
        'connect-path': null,
        'organization-scoped': client.isOrgScoped,
        'created-at': time(client.createdAt),
      },
      relationships: {
        organization: one('organizations', orgName),
        'oauth-tokens': many('oauth-tokens', client.token === undefined ? [] : [client.token.id]),
        'agent-pool': one('agent-pools', client.agentPool),
        projects: many('projects', projectsOf(client)),
      },
      links: { self: `/api/v2/oauth-clients/${client.id}` },
    }),
    included(clients, query) {
      const wanted = includes(query)
      const tokens = wanted.has('oauth-tokens') ? clients : []
      const withProjects = wanted.has('projects') ? clients : []
      return [
        ...tokens.flatMap(({ id, token }) => (token === undefined ? [] : [viewToken(token, id)])),
        ...withProjects.flatMap(projectsOf).map((id) => ({
          id,
          type: 'projects',
          attributes: { name: projects.get(id)?.name },
        })),
      ]
    },
  }
}

function displayName(provider: string): string {
  return provider in SERVICE_PROVIDERS ? SERVICE_PROVIDERS[provider as ServiceProvider] : provider
}

type Given = { readonly [K in keyof typeof attributes]?: z.output<(typeof attributes)[K]> }

/** What is left out stays as it is; null takes away what can be taken away. */
function changed<T extends OAuthClientFields>(
  before: T,
  given: Given,
  pool: string | null | undefined,
): OAuthClientFields {
  const next = (value: string | null | undefined, old: string | undefined) =>
    value === undefined ? old : (value ?? undefined)
  const optional = {
    name: next(given.name, before.name),
    key: next(given.key, before.key),
    rsaPublicKey: next(given['rsa-public-key'], before.rsaPublicKey),
    agentPool: next(pool, before.agentPool),
  }
  return { ...before, ...optional, isOrgScoped: given['organization-scoped'] ?? before.isOrgScoped }
}

function secretsOf(given: Given) {
  return { secret: given.secret ?? undefined, token: given['oauth-token-string'] ?? undefined }
}

const projectRoutes = (['POST', 'DELETE'] as const).map((method) =>
  route({
    method,
    path: '/api/v2/oauth-clients/{client}/relationships/projects',
    id: `tfc${method === 'POST' ? 'Add' : 'Remove'}OAuthClientProjects`,
    action: 'policy:manage',
    tags,
    summary: `${method === 'POST' ? 'Add to' : 'Remove from'} the projects of an OAuth client`,
    params,
    body: identifiers('projects'),
    target: ofClient,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, body: ids, caller }, services) {
      const isAdded = method === 'POST'
      if (isAdded) await checkProjects(services, org, { projects: ids })
      await services.governance.oauthClients.update(
        org,
        record.id,
        (before) => ({
          ...before,
          projects: isAdded
            ? [...new Set([...before.projects, ...ids])]
            : before.projects.filter((id) => !ids.includes(id)),
        }),
        {},
        caller,
      )
      return { status: 204 }
    },
  }),
)

export const oauthClientRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/oauth-clients',
    id: 'tfcListOAuthClients',
    action: 'policy:read',
    tags,
    summary: 'List OAuth clients',
    params: OrgParams,
    query: z.object(paging),
    target: ofOrg,
    answers: { 200: documented('The OAuth clients') },
    async handle({ target: { org }, query, x }, services) {
      const page = paged(await services.governance.oauthClients.list(org), query, x)
      const view = await clientsView(services, org)
      const included = view.included(page.items, query)
      return { status: 200, ...listed({ ...page, items: page.items.map(view.show) }, { included }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/oauth-clients',
    id: 'tfcCreateOAuthClient',
    action: 'policy:manage',
    tags,
    summary: 'Create an OAuth client',
    params: OrgParams,
    body: resource('oauth-clients', {
      attributes: {
        ...attributes,
        'service-provider': Provider,
        'api-url': url,
        'http-url': url,
        'private-key': secret.nullish(),
      },
      relationships: { projects: toMany('projects'), 'agent-pool': toOne('agent-pools') },
    }),
    target: ofOrg,
    answers: { 201: documented('The OAuth client') },
    async handle({ target: { org }, body: { attributes: given, relationships }, caller }, services) {
      const { projects = [], 'agent-pool': pool } = relationships
      const provider = given['service-provider']
      const privateKey = given['private-key'] ?? undefined
      if (privateKey !== undefined && provider !== 'ado_server')
        throw invalidAttribute('private-key', 'Only Azure DevOps Server takes a private key.')
      await checkProjects(services, org, { projects })
      await checkAgentPool(services, org, pool)
      const before = {
        provider,
        apiUrl: given['api-url'],
        httpUrl: given['http-url'],
        isOrgScoped: true,
        projects: [...new Set(projects)],
      }
      const client = await services.governance.oauthClients.create(
        org,
        changed(before, given, pool),
        { ...secretsOf(given), privateKey },
        caller,
      )
      return { status: 201, ...document((await clientsView(services, org)).show(client)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/oauth-clients/{client}',
    id: 'tfcShowOAuthClient',
    action: 'policy:read',
    tags,
    summary: 'Show an OAuth client',
    params,
    query: z.object({ include: z.string().optional() }),
    target: ofClient,
    answers: { 200: documented('The OAuth client') },
    async handle({ target: { org, record }, query }, services) {
      const view = await clientsView(services, org)
      return { status: 200, ...document(view.show(record), { included: view.included([record], query) }) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/oauth-clients/{client}',
    id: 'tfcUpdateOAuthClient',
    action: 'policy:manage',
    tags,
    summary: 'Change an OAuth client',
    params,
    body: resource('oauth-clients', { attributes, relationships: { 'agent-pool': toOne('agent-pools') } }),
    target: ofClient,
    answers: { 200: documented('The OAuth client') },
    async handle({ target: { org, record }, body: { attributes: given, relationships }, caller }, services) {
      const pool = relationships['agent-pool']
      await checkAgentPool(services, org, pool)
      const client = await services.governance.oauthClients.update(
        org,
        record.id,
        (before) => changed(before, given, pool),
        secretsOf(given),
        caller,
      )
      return { status: 200, ...document((await clientsView(services, org)).show(client)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/oauth-clients/{client}',
    id: 'tfcDeleteOAuthClient',
    action: 'policy:manage',
    tags,
    summary: 'Delete an OAuth client and its token',
    params,
    target: ofClient,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, { governance }) {
      await governance.oauthClients.remove(org, record.id, caller)
      return { status: 204 }
    },
  }),
  ...projectRoutes,
]
