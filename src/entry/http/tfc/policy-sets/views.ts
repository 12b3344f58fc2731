import type { Caller } from '../../../../access/index.ts'
import {
  type OAuthClient,
  type Parameter,
  type PolicySet,
  type PolicySetVersion,
  currentVersion,
} from '../../../../governance/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { type ResourceObject, includes, many, one, time } from '../kit/json-api.ts'
import { unitsSeen } from '../org-relations.ts'
import { viewPolicy } from '../policies/policies.ts'

/** Shows the policy sets of an organization to a caller, who may not see every unit. */
export interface SetsView {
  show(set: PolicySet): ResourceObject
  included(sets: readonly PolicySet[], query: { readonly include?: string | undefined }): ResourceObject[]
}

/** Relations name only what exists, and of units only those that the caller may see. */
export async function setsView(services: TfcServices, org: string, caller: Caller): Promise<SetsView> {
  const { control, governance, projects: stored } = services
  const units = await unitsSeen(services, org, caller)
  const projects = new Map((await stored.fresh(org)).map((project) => [project.id, project]))
  const policies = new Map((await governance.policies.list({ org })).map((policy) => [policy.id, policy]))
  const clients = await governance.oauthClients.list(org)
  const orgName = control.orgNames.nameOf(org)
  const known = (ids: readonly string[], all: { has(id: string): boolean }) => ids.filter((id) => all.has(id))

  function show(set: PolicySet): ResourceObject {
    const [ofPolicies, ofUnits, ofProjects] = [
      known(set.policies, policies),
      known(set.units, units),
      known(set.projects, projects),
    ]
    return {
      id: set.id,
      type: 'policy-sets',
      attributes: {
        name: set.name,
        description: set.description,
        kind: set.kind,
        global: set.isGlobal,
        overridable: set.isOverridable ?? null,
        'agent-enabled': set.isAgentEnabled,
        'policy-tool-version': set.toolVersion ?? null,
        'policies-path': set.policiesPath ?? null,
        'policy-update-patterns': set.updatePatterns,
        'vcs-repo': viewRepo(set.vcsRepo, clients),
        'tag-selectors': set.tagSelectors.map(({ key, value, isExclude }) => ({
          'tag-key': key,
          'tag-value': value ?? null,
          'is-exclude': isExclude,
        })),
        'policy-count': ofPolicies.length,
        'workspace-count': ofUnits.length,
        'project-count': ofProjects.length,
        versioned: set.vcsRepo !== undefined || set.versions.length > 0,
        'created-at': time(set.createdAt),
        'updated-at': time(set.updatedAt),
      },
      relationships: {
        organization: one('organizations', orgName),
        policies: many('policies', ofPolicies),
        workspaces: many('workspaces', ofUnits),
        'workspace-exclusions': many('workspaces', known(set.unitExclusions, units)),
        projects: many('projects', ofProjects),
        'project-exclusions': many('projects', known(set.projectExclusions, projects)),
        'newest-version': one('policy-set-versions', set.versions.at(-1)?.id),
        'current-version': one('policy-set-versions', currentVersion(set)?.id),
      },
      links: { self: `/api/v2/policy-sets/${set.id}` },
    }
  }

  return {
    show,
    included(sets, query) {
      const wanted = includes(query)
      const of = <T>(names: readonly string[], find: (set: PolicySet) => readonly T[]): T[] =>
        names.some((name) => wanted.has(name)) ? sets.flatMap(find) : []
      const present = <T>(all: readonly (T | undefined)[]) =>
        all.flatMap((one) => (one === undefined ? [] : [one]))
      const setCount = (id: string) => sets.filter((set) => set.policies.includes(id)).length
      return [
        ...of(['policies'], (set) => present(set.policies.map((id) => policies.get(id)))).map((policy) =>
          viewPolicy(policy, orgName, setCount(policy.id)),
        ),
        ...of(['workspaces'], (set) => present(set.units.map((id) => units.get(id)))).map(({ id, name }) =>
          named('workspaces', id, name.replaceAll('/', '--')),
        ),
        ...of(['workspace-exclusions'], (set) => present(set.unitExclusions.map((id) => units.get(id)))).map(
          ({ id, name }) => named('workspaces', id, name.replaceAll('/', '--')),
        ),
        ...of(['projects'], (set) => present(set.projects.map((id) => projects.get(id)))).map(
          ({ id, name }) => named('projects', id, name),
        ),
        ...of(['project-exclusions'], (set) =>
          present(set.projectExclusions.map((id) => projects.get(id))),
        ).map(({ id, name }) => named('projects', id, name)),
        ...of(['newest-version'], (set) =>
          present([set.versions.at(-1)]).map((one) => viewVersion(set, one)),
        ),
        ...of(['current-version'], (set) =>
          present([currentVersion(set)]).map((one) => viewVersion(set, one)),
        ),
      ]
    },
  }
}

function named(type: string, id: string, name: string): ResourceObject {
  return { id, type, attributes: { name } }
}

function viewRepo(repo: PolicySet['vcsRepo'], clients: readonly OAuthClient[]) {
  if (repo === undefined) return null
  const client = clients.find(({ token }) => token !== undefined && token.id === repo.oauthToken)
  return {
    identifier: repo.identifier,
    'display-identifier': repo.identifier,
    branch: repo.branch,
    'ingress-submodules': repo.ingressSubmodules,
    'oauth-token-id': repo.oauthToken ?? null,
    'github-app-installation-id': repo.githubApp ?? null,
    'tags-regex': repo.tagsRegex ?? null,
    'service-provider': client?.provider ?? null,
    'repository-http-url': client === undefined ? null : `${client.httpUrl}/${repo.identifier}`,
    'webhook-url': null,
  }
}

/** `uploadUrl`: only for those who may upload, while it waits for its content. */
export function viewVersion(set: PolicySet, version: PolicySetVersion, uploadUrl?: string): ResourceObject {
  const { id, status, source, error, times } = version
  return {
    id,
    type: 'policy-set-versions',
    attributes: {
      source,
      status,
      'status-timestamps': Object.fromEntries(
        Object.entries(times).map(([word, at]) => [`${word}-at`, time(at)]),
      ) as Readonly<Record<string, string>>,
      error: error === undefined ? null : 'invalid-archive',
      'error-message': error ?? null,
      'created-at': time(version.createdAt),
      'updated-at': time(version.updatedAt),
      // Nothing reads from code hosts yet.
      'ingress-attributes': null,
    },
    relationships: { 'policy-set': one('policy-sets', set.id) },
    links: {
      self: `/api/v2/policy-set-versions/${id}`,
      ...(uploadUrl === undefined ? {} : { upload: uploadUrl }),
    },
  }
}

export function viewParameter(parameter: Parameter, set: string): ResourceObject {
  const { id, key, value, isSensitive } = parameter
  return {
    id,
    type: 'vars',
    attributes: { key, value: value ?? null, sensitive: isSensitive, category: 'policy-set', hcl: false },
    relationships: { configurable: one('policy-sets', set) },
    links: { self: `/api/v2/policy-sets/${set}/parameters/${id}` },
  }
}
