import { z } from 'zod'
import {
  EnforcementLevel,
  MAX_POLICY_BYTES,
  type Policy,
  PolicyKind,
  languageOf,
} from '../../../../governance/index.ts'
import { receivedWhole } from '../../kit/request/receive.ts'
import { send } from '../../kit/response/respond.ts'
import { resource } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, rawRoute, route } from '../kit/define.ts'
import { type ResourceObject, document, one, time } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { sendContent } from '../kit/send-content.ts'

const tags = ['terraform cloud']
const params = z.object({ policy: z.string() })

function ofPolicy(
  { params: { policy } }: { readonly params: z.infer<typeof params> },
  { locator, governance }: Pick<TfcServices, 'locator' | 'governance'>,
) {
  return locator.record(governance.policies, policy)
}

/** What can be changed later. */
const changeable = {
  description: z.string().max(4_096).nullish(),
  query: z.string().max(4_096).nullish(),
  enforce: z
    .array(z.object({ path: z.string().min(1).max(255), mode: EnforcementLevel }))
    .min(1)
    .max(100)
    .nullish(),
  'enforcement-level': EnforcementLevel.nullish(),
}

export function viewPolicy(policy: Policy, orgName: string, setCount: number): ResourceObject {
  const { id, name, kind, enforce } = policy
  return {
    id,
    type: 'policies',
    attributes: {
      name,
      kind,
      query: policy.query ?? null,
      description: policy.description,
      enforce: enforce.map(({ path, mode }) => ({ path, mode })),
      'enforcement-level': enforce[0]?.mode ?? languageOf(kind).levels[0],
      'policy-set-count': setCount,
      'updated-at': time(policy.updatedAt),
    },
    relationships: { organization: one('organizations', orgName) },
    links: {
      self: `/api/v2/policies/${id}`,
      upload: `/api/v2/policies/${id}/upload`,
      ...(policy.content === undefined ? {} : { download: `/api/v2/policies/${id}/download` }),
    },
  }
}

/** Shows how to show the policies of an organization. */
async function viewFor(services: TfcServices, org: string): Promise<(policy: Policy) => ResourceObject> {
  const sets = await services.governance.policySets.list({ org })
  const name = services.control.orgNames.nameOf(org)
  return (policy) =>
    viewPolicy(policy, name, sets.filter(({ policies }) => policies.includes(policy.id)).length)
}

export const policyRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/policies',
    id: 'tfcListPolicies',
    action: 'policy:read',
    tags,
    summary: 'List policies',
    params: OrgParams,
    query: z.object({
      ...paging,
      'search[name]': z.string().optional(),
      'filter[kind]': z.string().optional(),
    }),
    target: ofOrg,
    answers: { 200: documented('The policies') },
    async handle({ target: { org }, query, x }, services) {
      const wanted = query['search[name]']?.toLowerCase() ?? ''
      const kind = query['filter[kind]']
      const found = (await services.governance.policies.list({ org })).filter(
        (policy) =>
          policy.name.toLowerCase().includes(wanted) && (kind === undefined || policy.kind === kind),
      )
      const page = paged(found, query, x)
      return { status: 200, ...listed({ ...page, items: page.items.map(await viewFor(services, org)) }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/policies',
    id: 'tfcCreatePolicy',
    action: 'policy:manage',
    tags,
    summary: 'Create a policy',
    params: OrgParams,
    body: resource('policies', {
      attributes: { name: z.string(), kind: PolicyKind.nullish(), ...changeable },
    }),
    target: ofOrg,
    answers: { 201: documented('The policy') },
    async handle({ target: { org }, body: { attributes }, caller }, services) {
      const { name, description, query, enforce, 'enforcement-level': level } = attributes
      const kind = attributes.kind ?? 'sentinel'
      const { levels, ending } = languageOf(kind)
      const fields = {
        name,
        kind,
        description: description ?? '',
        enforce: enforce ?? [{ path: `${name}.${ending}`, mode: level ?? levels[0] }],
        ...(typeof query === 'string' ? { query } : {}),
      }
      const policy = await services.governance.policies.create({ org }, fields, caller)
      return { status: 201, ...document((await viewFor(services, org))(policy)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/policies/{policy}',
    id: 'tfcShowPolicy',
    action: 'policy:read',
    tags,
    summary: 'Show a policy',
    params,
    target: ofPolicy,
    answers: { 200: documented('The policy') },
    handle: async ({ target: { org, record } }, services) => ({
      status: 200,
      ...document((await viewFor(services, org))(record)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/policies/{policy}',
    id: 'tfcUpdatePolicy',
    action: 'policy:manage',
    tags,
    summary: 'Change a policy',
    params,
    body: resource('policies', { attributes: changeable }),
    target: ofPolicy,
    answers: { 200: documented('The policy') },
    async handle({ target: { org, record }, body: { attributes }, caller }, services) {
      const { description, query, enforce, 'enforcement-level': level } = attributes
      const policy = await services.governance.policies.update(
        { org },
        record.id,
        (before) => ({
          ...before,
          ...(description === undefined ? {} : { description: description ?? '' }),
          ...(typeof query === 'string' ? { query } : {}),
          enforce:
            enforce ??
            (level === undefined || level === null
              ? before.enforce
              : before.enforce.map((one) => ({ ...one, mode: level }))),
        }),
        caller,
      )
      return { status: 200, ...document((await viewFor(services, org))(policy)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/policies/{policy}',
    id: 'tfcDeletePolicy',
    action: 'policy:manage',
    tags,
    summary: 'Delete a policy',
    params,
    target: ofPolicy,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, { governance }) {
      await governance.policies.remove(org, record.id, caller)
      return { status: 204 }
    },
  }),
  rawRoute({
    method: 'PUT',
    path: '/api/v2/policies/{policy}/upload',
    id: 'tfcUploadPolicy',
    action: 'policy:manage',
    tags,
    summary: 'Upload the text of a policy',
    params,
    target: ofPolicy,
    answers: { 200: { description: 'Uploaded' } },
    async handle({ target: { org, record }, x }, { governance, limits }) {
      await governance.policies.upload(org, record.id, await receivedWhole(x, MAX_POLICY_BYTES), x.caller)
      send(x, 200, undefined, {}, limits)
    },
  }),
  rawRoute({
    method: 'GET',
    path: '/api/v2/policies/{policy}/download',
    id: 'tfcDownloadPolicy',
    action: 'policy:read',
    tags,
    summary: 'The text of a policy',
    params,
    target: ofPolicy,
    answers: { 200: { description: 'The text' } },
    async handle({ target: { org, record }, x }, { governance }) {
      await sendContent(x, await governance.policies.download(org, record), 'application/octet-stream')
    },
  }),
]
