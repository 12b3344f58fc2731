import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import type { OrganizationSettings } from '../../../../projects/index.ts'
import type { OrgView } from '../../../../state/index.ts'
import { giveToCreator } from '../../kit/org-creator.ts'
import { resource, toOne } from '../kit/body.ts'
import { camelKeys } from '../kit/case.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, ofServer, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { invalidRelation } from '../kit/errors.ts'
import { document, one } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { checkAgentPool } from '../org-relations.ts'
import { viewOrganization } from './view.ts'

const tags = ['terraform cloud']
const Flag = z.boolean().nullish()
const Minutes = z.int().min(1).max(10_000_000).nullish()

const settingAttributes = {
  email: z.string().max(320).nullish(),
  'collaborator-auth-policy': z.enum(['password', 'two_factor_mandatory']).nullish(),
  'session-timeout': Minutes,
  'session-remember': Minutes,
  'cost-estimation-enabled': Flag,
  'assessments-enforced': Flag,
  'owners-team-saml-role-id': z.string().max(500).nullish(),
  'send-passing-statuses-for-untriggered-speculative-plans': Flag,
  'aggregated-commit-status-enabled': Flag,
  'speculative-plan-management-enabled': Flag,
  'allow-force-delete-workspaces': Flag,
  'user-tokens-enabled': Flag,
  'default-execution-mode': z.enum(['remote', 'local', 'agent']).nullish(),
}

/** A deleted organization can be restored natively, and is gone here. */
async function liveOrg({ control }: TfcServices, org: string, caller: Caller): Promise<OrgView> {
  const view = await control.orgs.get(org, caller)
  if (view.deleted !== null) throw notFound()
  return view
}

async function shown(services: TfcServices, org: string, caller: Caller) {
  const [view, settings] = await Promise.all([
    liveOrg(services, org, caller),
    services.organizationSettings.get(org),
  ])
  return document(viewOrganization(view, settings, caller))
}

function settingsIn(attributes: z.infer<z.ZodObject<typeof settingAttributes>>): OrganizationSettings {
  const given = Object.entries(camelKeys(attributes)).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])) as OrganizationSettings
}

export const organizationRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations',
    id: 'tfcListOrganizations',
    action: 'org:read',
    isFiltered: true,
    tags,
    summary: 'List organizations',
    query: z.object({
      ...paging,
      q: z.string().optional(),
      'q[name]': z.string().optional(),
      'q[email]': z.string().optional(),
    }),
    target: ofServer,
    answers: { 200: documented('The organizations') },
    async handle({ query, caller, x }, { control, access, organizationSettings }) {
      const all = []
      let cursor: string | undefined
      do {
        const page = await control.orgs.list(
          { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) },
          caller,
        )
        for (const org of page.items) if (await access.seesOrg(caller.principal, org.id)) all.push(org)
        cursor = page.next
      } while (cursor !== undefined)
      const wanted = (query.q ?? query['q[name]'] ?? '').toLowerCase()
      const page = paged(
        all.filter(({ name }) => name.includes(wanted)),
        query,
        x,
      )
      const items = await Promise.all(
        page.items.map(async (org) =>
          viewOrganization(org, await organizationSettings.fresh(org.id), caller),
        ),
      )
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations',
    id: 'tfcCreateOrganization',
    action: 'org:create',
    tags,
    summary: 'Create an organization',
    body: resource('organizations', { attributes: { name: z.string(), ...settingAttributes } }),
    target: ofServer,
    answers: { 201: documented('The organization') },
    async handle({ body: { attributes }, caller }, services) {
      const { name, ...settings } = attributes
      const view = await services.control.orgs.create({ name }, caller)
      await giveToCreator(view.id, services.orgAccess, caller)
      await services.organizationSettings.update(view.id, settingsIn(settings), caller)
      return { status: 201, ...(await shown(services, view.id, caller)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}',
    id: 'tfcShowOrganization',
    action: 'org:read',
    takesRunTokens: true,
    tags,
    summary: 'Show an organization',
    params: OrgParams,
    query: z.object({ include: z.string().optional() }),
    target: ofOrg,
    answers: { 200: documented('The organization') },
    handle: async ({ target, caller }, services) => ({
      status: 200,
      ...(await shown(services, target.org, caller)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/organizations/{org}',
    id: 'tfcUpdateOrganization',
    action: 'org:admin',
    tags,
    summary: 'Change an organization',
    params: OrgParams,
    body: resource('organizations', {
      attributes: { name: z.string().nullish(), ...settingAttributes },
      relationships: { 'default-agent-pool': toOne('agent-pools') },
    }),
    target: ofOrg,
    answers: { 200: documented('The organization') },
    async handle({ target: { org }, body: { attributes, relationships }, caller }, services) {
      const { name, ...settings } = attributes
      const pool = relationships['default-agent-pool']
      await checkAgentPool(services, org, pool, (message) => invalidRelation('default-agent-pool', message))
      if (name != null && name !== services.control.orgNames.nameOf(org))
        await services.control.orgs.rename(org, name, caller)
      const change = {
        ...settingsIn(settings),
        ...(pool === undefined ? {} : { defaultAgentPool: pool ?? undefined }),
      } as OrganizationSettings
      await services.organizationSettings.update(org, change, caller)
      return { status: 200, ...(await shown(services, org, caller)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/organizations/{org}',
    id: 'tfcDeleteOrganization',
    action: 'org:delete',
    tags,
    summary: 'Delete an organization; it can be restored',
    params: OrgParams,
    target: ofOrg,
    answers: { 204: NO_CONTENT },
    async handle({ target, caller }, { control }) {
      await control.orgs.remove(target.org, { force: false }, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/entitlement-set',
    id: 'tfcShowEntitlements',
    action: 'org:read',
    takesRunTokens: true,
    tags,
    summary: 'What this server can do for an organization',
    params: OrgParams,
    target: ofOrg,
    answers: { 200: documented('The entitlements') },
    async handle({ target: { org }, caller }, services) {
      const { name, id } = await liveOrg(services, org, caller)
      return {
        status: 200,
        ...document({
          id: `org-${id}`,
          type: 'entitlement-sets',
          attributes: ENTITLEMENTS,
          relationships: { organization: one('organizations', name) },
          links: { self: `/api/v2/organizations/${name}/entitlement-set` },
        }),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/capacity',
    id: 'tfcShowCapacity',
    action: 'org:read',
    tags,
    summary: 'How many runs wait and run: none, as long as there are no remote runs',
    params: OrgParams,
    target: ofOrg,
    answers: { 200: documented('The capacity') },
    handle: ({ target: { org } }, { control }) => ({
      status: 200,
      ...document({
        id: control.orgNames.nameOf(org),
        type: 'organization-capacity',
        attributes: { pending: 0, running: 0 },
      }),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/runs/queue',
    id: 'tfcListRunQueue',
    action: 'org:read',
    tags,
    summary: 'Runs that wait: none, as long as there are no remote runs',
    params: OrgParams,
    query: z.object(paging),
    target: ofOrg,
    answers: { 200: documented('The runs') },
    handle: ({ query, x }) => ({ status: 200, ...listed(paged([], query, x)) }),
  }),
]

/** Without `operations`, command lines run plans and applies where they are called, whatever the execution mode. */
const ENTITLEMENTS = {
  operations: false,
  'state-storage': true,
  teams: true,
  sso: true,
  agents: true,
  'audit-logging': true,
  'private-module-registry': true,
  'run-tasks': true,
  'private-run-tasks': true,
  'global-run-tasks': false,
  'policy-enforcement': true,
  sentinel: false,
  'cost-estimation': false,
  'vcs-integrations': true,
  'configuration-designer': false,
  'self-serve-billing': false,
  'user-limit': null,
} as const
