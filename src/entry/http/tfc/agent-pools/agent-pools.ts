import { z } from 'zod'
import { type Caller, systemCaller } from '../../../../access/index.ts'
import { groupedBy } from '../../../../base/group-by.ts'
import type { AgentPool } from '../../../../execution/index.ts'
import { settingsOf } from '../../../../projects/index.ts'
import { resource, toMany } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { conflict, invalidRelation } from '../kit/errors.ts'
import { document, many, one, time, type ResourceObject } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { checkWorkspaces } from '../workspaces-of-org.ts'
import { allUnits } from '../workspaces/list.ts'

const tags = ['terraform cloud']
const params = z.object({ pool: z.string() })
const Name = z.string().trim().min(1).max(255)
const relationships = {
  'allowed-workspaces': toMany('workspaces'),
  'excluded-workspaces': toMany('workspaces'),
  'allowed-projects': toMany('projects'),
}
type Relations = { readonly [K in keyof typeof relationships]?: readonly string[] | undefined }

async function ofPool(
  { params: { pool } }: { readonly params: z.infer<typeof params> },
  { locator, agentPools }: Pick<TfcServices, 'locator' | 'agentPools'>,
) {
  return locator.record(agentPools, pool)
}

/** Ids of the units that use each pool, as far as the caller may see them. */
async function usersOf(services: Pick<TfcServices, 'control'>, org: string, caller: Caller) {
  return groupedBy(await allUnits(services, org, caller), (unit) => settingsOf(unit).agentPool ?? '')
}

/** Shows how to show the pools of an organization to a caller, who may not see every unit. */
async function viewFor(
  services: Pick<TfcServices, 'control'>,
  org: string,
  caller: Caller,
): Promise<(pool: AgentPool) => ResourceObject> {
  const { control } = services
  const users = await usersOf(services, org, caller)
  const visible = await control.units.visible(org, caller)
  const seen = (ids: readonly string[]) =>
    many('workspaces', visible === undefined ? ids : ids.filter((id) => visible.has(id)))
  const name = control.orgNames.nameOf(org)
  return (pool) => ({
    id: pool.id,
    type: 'agent-pools',
    attributes: {
      name: pool.name,
      'created-at': time(pool.createdAt),
      'organization-scoped': pool.isOrgScoped,
      'agent-count': 0,
    },
    relationships: {
      organization: one('organizations', name),
      agents: many('agents', []),
      'authentication-tokens': many('authentication-tokens', []),
      workspaces: many('workspaces', users.get(pool.id)?.map(({ id }) => id) ?? []),
      'allowed-workspaces': seen(pool.allowedUnits),
      'excluded-workspaces': seen(pool.excludedUnits),
      'allowed-projects': many('projects', pool.allowedProjects),
    },
    links: { self: `/api/v2/agent-pools/${pool.id}` },
  })
}

/** What is left out stays as it is. */
async function checked(
  services: TfcServices,
  org: string,
  given: Relations,
  caller: Caller,
): Promise<Partial<Pick<AgentPool, 'allowedUnits' | 'excludedUnits' | 'allowedProjects'>>> {
  const {
    'allowed-workspaces': allowed,
    'excluded-workspaces': excluded,
    'allowed-projects': projects,
  } = given
  await checkWorkspaces(
    services,
    org,
    { 'allowed-workspaces': allowed, 'excluded-workspaces': excluded },
    caller,
  )
  for (const id of projects ?? [])
    if ((await services.projects.find(org, id)) === undefined)
      throw invalidRelation('allowed-projects', `There is no project ${id} in this organization.`)
  return {
    ...(allowed && { allowedUnits: [...new Set(allowed)] }),
    ...(excluded && { excludedUnits: [...new Set(excluded)] }),
    ...(projects && { allowedProjects: [...new Set(projects)] }),
  }
}

export const agentPoolRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/agent-pools',
    id: 'tfcListAgentPools',
    action: 'org:read',
    tags,
    summary: 'List agent pools',
    params: OrgParams,
    query: z.object({ ...paging, q: z.string().optional(), sort: z.string().optional() }),
    target: ofOrg,
    answers: { 200: documented('The pools') },
    async handle({ target: { org }, query, caller, x }, services) {
      const wanted = query.q?.toLowerCase() ?? ''
      const found = (await services.agentPools.list({ org })).filter(({ name }) =>
        name.toLowerCase().includes(wanted),
      )
      const sorted = query.sort === undefined ? found : sortedBy(found, query.sort)
      const view = await viewFor(services, org, caller)
      return { status: 200, ...listed(paged(sorted.map(view), query, x)) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/agent-pools',
    id: 'tfcCreateAgentPool',
    action: 'org:admin',
    tags,
    summary: 'Create an agent pool',
    params: OrgParams,
    body: resource('agent-pools', {
      attributes: { name: Name, 'organization-scoped': z.boolean().nullish() },
      relationships,
    }),
    target: ofOrg,
    answers: { 201: documented('The pool') },
    async handle({ target: { org }, body: { attributes, relationships: given }, caller }, services) {
      const fields = {
        name: attributes.name,
        isOrgScoped: attributes['organization-scoped'] ?? true,
        allowedUnits: [],
        excludedUnits: [],
        allowedProjects: [],
        ...(await checked(services, org, given, caller)),
      }
      const pool = await services.agentPools.create({ org }, fields, caller)
      return { status: 201, ...document((await viewFor(services, org, caller))(pool)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/agent-pools/{pool}',
    id: 'tfcShowAgentPool',
    action: 'org:read',
    tags,
    summary: 'Show an agent pool',
    params,
    target: ofPool,
    answers: { 200: documented('The pool') },
    async handle({ target: { org, record }, caller }, services) {
      return { status: 200, ...document((await viewFor(services, org, caller))(record)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/agent-pools/{pool}',
    id: 'tfcUpdateAgentPool',
    action: 'org:admin',
    tags,
    summary: 'Change an agent pool',
    params,
    body: resource('agent-pools', {
      attributes: { name: Name.nullish(), 'organization-scoped': z.boolean().nullish() },
      relationships,
    }),
    target: ofPool,
    answers: { 200: documented('The pool') },
    async handle({ target: { org, record }, body: { attributes, relationships: given }, caller }, services) {
      const relations = await checked(services, org, given, caller)
      const pool = await services.agentPools.update(
        { org },
        record.id,
        (before) => ({
          ...before,
          ...relations,
          name: attributes.name ?? before.name,
          isOrgScoped: attributes['organization-scoped'] ?? before.isOrgScoped,
        }),
        caller,
      )
      return { status: 200, ...document((await viewFor(services, org, caller))(pool)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/agent-pools/{pool}',
    id: 'tfcDeleteAgentPool',
    action: 'org:admin',
    tags,
    summary: 'Delete an agent pool',
    params,
    target: ofPool,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, services) {
      const users = (await usersOf(services, org, systemCaller('access'))).get(record.id) ?? []
      if (users.length > 0) throw conflict(`The agent pool is used by ${users.length} workspaces.`)
      await services.agentPools.remove({ org }, record.id, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/agent-pools/{pool}/agents',
    id: 'tfcListAgents',
    action: 'org:read',
    tags,
    summary: 'List the agents of a pool',
    description: 'Always empty: agents come with runs.',
    params,
    query: z.object(paging),
    target: ofPool,
    answers: { 200: documented('The agents') },
    handle: ({ query, x }) => ({ status: 200 as const, ...listed(paged<ResourceObject>([], query, x)) }),
  }),
]

/** `name`, `created-at`; with a dash in front, the other way round. */
function sortedBy(pools: readonly AgentPool[], sort: string): readonly AgentPool[] {
  const isDown = sort.startsWith('-')
  const field = isDown ? sort.slice(1) : sort
  if (field !== 'name' && field !== 'created-at') return pools
  const sorted = pools.toSorted((a, b) =>
    field === 'name' ? a.name.localeCompare(b.name) : a.createdAt - b.createdAt,
  )
  return isDown ? sorted.reverse() : sorted
}
