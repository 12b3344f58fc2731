import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import {
  NEW_POLICY_SET,
  PolicyKind,
  type PolicySet,
  type PolicySetFields,
} from '../../../../governance/index.ts'
import { resource, toMany } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { invalidAttribute, invalidRelation } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { checkProjects, checkRelated } from '../org-relations.ts'
import { checkWorkspaces } from '../workspaces-of-org.ts'
import { SetParams, ofSet, tags } from './target.ts'
import { setsView } from './views.ts'

export const TagSelectorBody = z
  .object({
    'tag-key': z.string().min(1).max(255),
    'tag-value': z.string().max(255).nullish(),
    'is-exclude': z.boolean().nullish(),
  })
  .transform(({ 'tag-key': key, 'tag-value': value, 'is-exclude': isExclude }) => ({
    key,
    ...(typeof value === 'string' ? { value } : {}),
    isExclude: isExclude ?? false,
  }))

const text = z.string().max(4_096)
const attributes = {
  description: text.nullish(),
  global: z.boolean().nullish(),
  overridable: z.boolean().nullish(),
  'agent-enabled': z.boolean().nullish(),
  'policy-tool-version': z.string().max(255).nullish(),
  'policies-path': text.nullish(),
  'policy-update-patterns': z.array(text).max(100).nullish(),
  'vcs-repo': z
    .object({
      identifier: z.string().min(1).max(1_024),
      branch: z.string().max(255).nullish(),
      'ingress-submodules': z.boolean().nullish(),
      'oauth-token-id': z.string().nullish(),
      'github-app-installation-id': z.string().max(255).nullish(),
      'tags-regex': z.string().max(1_024).nullish(),
    })
    .nullish(),
}
type Attributes = { readonly [K in keyof typeof attributes]?: z.output<(typeof attributes)[K]> }

const relationships = {
  policies: toMany('policies'),
  workspaces: toMany('workspaces'),
  'workspace-exclusions': toMany('workspaces'),
  projects: toMany('projects'),
  'project-exclusions': toMany('projects'),
}
type Relations = { readonly [K in keyof typeof relationships]?: readonly string[] | undefined }

/** What relations are called in requests, and where they are stored. */
export const RELATIONS = {
  policies: { type: 'policies', relation: 'policies' },
  workspaces: { type: 'workspaces', relation: 'units' },
  'workspace-exclusions': { type: 'workspaces', relation: 'unitExclusions' },
  projects: { type: 'projects', relation: 'projects' },
  'project-exclusions': { type: 'projects', relation: 'projectExclusions' },
} as const

/** Refuses relations to what does not exist, and policies in another language than that of the set. */
export async function checkRelations(
  services: TfcServices,
  org: string,
  kind: string,
  given: Relations,
  caller: Caller,
): Promise<void> {
  const { policies: ids = [], projects, 'project-exclusions': projectExclusions, ...units } = given
  if (ids.length > 0) {
    const policies = new Map((await services.governance.policies.list({ org })).map((one) => [one.id, one]))
    checkRelated('policy', policies, { policies: ids })
    const other = ids.map((id) => policies.get(id)).find((policy) => policy?.kind !== kind)
    if (other !== undefined)
      throw invalidRelation('policies', `The policy ${other.name} is of the kind ${other.kind}, not ${kind}.`)
  }
  const { workspaces, 'workspace-exclusions': unitExclusions } = units
  await checkWorkspaces(services, org, { workspaces, 'workspace-exclusions': unitExclusions }, caller)
  await checkProjects(services, org, { projects, 'project-exclusions': projectExclusions })
}

/** Undefined: leave it as it is. Null: without one. */
async function repoOf(
  { governance }: Pick<TfcServices, 'governance'>,
  org: string,
  given: Attributes['vcs-repo'],
): Promise<PolicySet['vcsRepo'] | null> {
  if (given === undefined || given === null) return given
  const token = given['oauth-token-id'] ?? undefined
  if (token !== undefined) {
    const clients = await governance.oauthClients.list(org)
    if (!clients.some((client) => client.token?.id === token))
      throw invalidAttribute(
        'vcs-repo.oauth-token-id',
        `There is no OAuth token ${token} in this organization.`,
      )
  }
  const githubApp = given['github-app-installation-id'] ?? undefined
  const tagsRegex = given['tags-regex'] ?? undefined
  return {
    identifier: given.identifier,
    branch: given.branch ?? '',
    ingressSubmodules: given['ingress-submodules'] ?? false,
    ...(token === undefined ? {} : { oauthToken: token }),
    ...(githubApp === undefined ? {} : { githubApp }),
    ...(tagsRegex === undefined ? {} : { tagsRegex }),
  }
}

/** What is left out stays as it is; null takes away what can be taken away. */
function changed<T extends PolicySetFields>(
  before: T,
  given: Attributes & { readonly name?: string | null | undefined },
  repo: PolicySet['vcsRepo'] | null,
  related: Relations,
): T {
  const { toolVersion, policiesPath, vcsRepo, ...rest } = before
  const optional = <K extends string>(key: K, next: string | null | undefined, old: string | undefined) => {
    const value = next === undefined ? old : (next ?? undefined)
    return (value === undefined ? {} : { [key]: value }) as { readonly [N in K]?: string }
  }
  const ids = Object.entries(RELATIONS).flatMap(([name, { relation }]) => {
    const wanted = related[name as keyof typeof RELATIONS]
    return wanted === undefined ? [] : [[relation, [...new Set(wanted)]]]
  })
  const nextRepo = repo === undefined ? vcsRepo : (repo ?? undefined)
  return {
    ...rest,
    name: given.name ?? before.name,
    description: given.description === undefined ? before.description : (given.description ?? ''),
    isGlobal: given.global ?? before.isGlobal,
    isAgentEnabled: given['agent-enabled'] ?? before.isAgentEnabled,
    updatePatterns: given['policy-update-patterns'] ?? before.updatePatterns,
    ...(typeof given.overridable === 'boolean' ? { isOverridable: given.overridable } : {}),
    ...optional('toolVersion', given['policy-tool-version'], toolVersion),
    ...optional('policiesPath', given['policies-path'], policiesPath),
    ...(nextRepo === undefined ? {} : { vcsRepo: nextRepo }),
    ...Object.fromEntries(ids),
  } as T
}

export const policySetRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/policy-sets',
    id: 'tfcListPolicySets',
    action: 'policy:read',
    tags,
    summary: 'List policy sets',
    params: OrgParams,
    query: z.object({
      ...paging,
      'search[name]': z.string().optional(),
      'filter[kind]': z.string().optional(),
    }),
    target: ofOrg,
    answers: { 200: documented('The policy sets') },
    async handle({ target: { org }, query, caller, x }, services) {
      const wanted = query['search[name]']?.toLowerCase() ?? ''
      const kind = query['filter[kind]']
      const found = (await services.governance.policySets.list({ org })).filter(
        (set) => set.name.toLowerCase().includes(wanted) && (kind === undefined || set.kind === kind),
      )
      const page = paged(found, query, x)
      const view = await setsView(services, org, caller)
      const included = view.included(page.items, query)
      return { status: 200, ...listed({ ...page, items: page.items.map(view.show) }, { included }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/policy-sets',
    id: 'tfcCreatePolicySet',
    action: 'policy:manage',
    tags,
    summary: 'Create a policy set',
    params: OrgParams,
    body: resource('policy-sets', {
      attributes: {
        ...attributes,
        name: z.string(),
        kind: PolicyKind.nullish(),
        'tag-selectors': z.array(TagSelectorBody).max(100).nullish(),
      },
      relationships,
    }),
    target: ofOrg,
    answers: { 201: documented('The policy set') },
    async handle({ target: { org }, body, caller }, services) {
      const { kind, name, 'tag-selectors': selectors, ...given } = body.attributes
      const ofKind = kind ?? 'sentinel'
      await checkRelations(services, org, ofKind, body.relationships, caller)
      const repo = await repoOf(services, org, given['vcs-repo'])
      const before = { ...NEW_POLICY_SET, name, kind: ofKind, tagSelectors: selectors ?? [] }
      const fields = changed(before, given, repo, body.relationships)
      const set = await services.governance.policySets.create(org, fields, caller)
      return { status: 201, ...document((await setsView(services, org, caller)).show(set)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/policy-sets/{set}',
    id: 'tfcShowPolicySet',
    action: 'policy:read',
    tags,
    summary: 'Show a policy set',
    params: SetParams,
    query: z.object({ include: z.string().optional() }),
    target: ofSet,
    answers: { 200: documented('The policy set') },
    async handle({ target: { org, record }, query, caller }, services) {
      const view = await setsView(services, org, caller)
      return { status: 200, ...document(view.show(record), { included: view.included([record], query) }) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/policy-sets/{set}',
    id: 'tfcUpdatePolicySet',
    action: 'policy:manage',
    tags,
    summary: 'Change a policy set',
    params: SetParams,
    body: resource('policy-sets', {
      attributes: { ...attributes, name: z.string().nullish() },
      relationships,
    }),
    target: ofSet,
    answers: { 200: documented('The policy set') },
    async handle(
      { target: { org, record }, body: { attributes: given, relationships: related }, caller },
      services,
    ) {
      await checkRelations(services, org, record.kind, related, caller)
      const repo = await repoOf(services, org, given['vcs-repo'])
      const set = await services.governance.policySets.update(
        { org },
        record.id,
        (before) => changed(before, given, repo, related),
        caller,
      )
      return { status: 200, ...document((await setsView(services, org, caller)).show(set)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/policy-sets/{set}',
    id: 'tfcDeletePolicySet',
    action: 'policy:manage',
    tags,
    summary: 'Delete a policy set',
    params: SetParams,
    target: ofSet,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, { governance }) {
      await governance.policySets.remove(org, record.id, caller)
      return { status: 204 }
    },
  }),
]
