import type { Caller } from '../../../../state/index.ts'
import type { ModuleRecord, ModuleVersion, TestConfig, VcsRepo } from '../../../../registry/index.ts'
import { type ResourceObject, many, one, time } from '../kit/json-api.ts'

export const mayPublish = ({ sight }: Caller) => sight?.may('registry:publish', undefined) ?? true

export interface ModuleView {
  readonly module: ModuleRecord
  readonly versions: readonly ModuleVersion[]
  /** Names of the organization and of the namespace. */
  readonly org: string
  readonly namespace: string
  readonly noCodeModules?: readonly string[]
}

export function moduleDocument(view: ModuleView, caller: Caller): ResourceObject {
  const { module, versions, org, namespace, noCodeModules = [] } = view
  const can = mayPublish(caller)
  return {
    id: module.id,
    type: 'registry-modules',
    attributes: {
      name: module.name,
      namespace,
      provider: module.provider,
      'registry-name': module.registryName,
      'no-code': module.noCode ?? false,
      status: versions.some(({ archive }) => archive) ? 'setup_complete' : 'pending',
      'publishing-mechanism': module.vcsRepo ? (module.vcsRepo.tags ? 'git_tag' : 'branch') : null,
      'version-statuses': versions.map((version) => ({
        version: version.version,
        status: statusOf(version),
        error: '',
      })),
      'vcs-repo': module.vcsRepo ? vcsDocument(module.vcsRepo) : null,
      'test-config': module.testConfig ? testDocument(module.testConfig) : null,
      permissions: { 'can-delete': can, 'can-resync': can, 'can-retry': can },
      'created-at': time(module.createdAt),
      'updated-at': time(module.updatedAt),
    },
    relationships: {
      organization: one('organizations', org),
      'no-code-modules': many('no-code-modules', noCodeModules),
    },
    links: { self: modulePath(view) },
  }
}

export function modulePath({ module, org, namespace }: Omit<ModuleView, 'versions'>): string {
  const { registryName, name, provider } = module
  return `/api/v2/organizations/${org}/registry-modules/${registryName}/${namespace}/${name}/${provider}`
}

function statusOf({ archive }: ModuleVersion): 'ok' | 'pending' {
  return archive === undefined ? 'pending' : 'ok'
}

function vcsDocument(repo: VcsRepo) {
  return {
    identifier: repo.identifier,
    'display-identifier': repo.displayIdentifier,
    branch: repo.branch,
    tags: repo.tags,
    'oauth-token-id': repo.oauthTokenId ?? null,
    'github-app-installation-id': repo.githubAppInstallationId ?? null,
    'ingress-submodules': true,
    'source-directory': repo.sourceDirectory ?? '',
    'tag-prefix': repo.tagPrefix ?? '',
  }
}

function testDocument(config: TestConfig) {
  return {
    'tests-enabled': config.testsEnabled,
    'agent-execution-mode': config.agentExecutionMode ?? null,
    'agent-pool-id': config.agentPoolId ?? null,
  }
}

/** `upload`: where its archive can be sent to. */
export function moduleVersionDocument(
  { module }: Pick<ModuleView, 'module'>,
  version: ModuleVersion,
  upload?: string,
): ResourceObject {
  return {
    id: version.id,
    type: 'registry-module-versions',
    attributes: {
      version: version.version,
      status: statusOf(version),
      source: module.vcsRepo === undefined ? 'tfe-api' : 'tfe-vcs',
      'commit-sha': version.commitSha ?? null,
      'created-at': time(version.createdAt),
      'updated-at': time(version.updatedAt),
    },
    relationships: { 'registry-module': one('registry-modules', module.id) },
    ...(upload === undefined ? {} : { links: { upload } }),
  }
}
