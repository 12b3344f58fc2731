import { z } from 'zod'
import type { VcsRepo } from '../../../../registry/index.ts'
import { defined } from '../../../../base/defined.ts'
import { resource } from '../kit/body.ts'
import { OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { moduleDocument } from './module-documents.ts'
import { TestConfigBody, testConfigOf, viewOf } from './modules.ts'

const Repo = z.object({
  identifier: z.string().min(1),
  'display-identifier': z.string().nullish(),
  'oauth-token-id': z.string().nullish(),
  branch: z.string().nullish(),
  tags: z.boolean().nullish(),
  'source-directory': z.string().nullish(),
  'tag-prefix': z.string().nullish(),
})
const Body = resource('registry-modules', {
  attributes: {
    name: z.string().nullish(),
    provider: z.string().nullish(),
    'vcs-repo': Repo,
    'test-config': TestConfigBody.nullish(),
  },
})

export const vcsModuleRoutes = [
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/registry-modules/vcs',
    id: 'createRegistryModuleFromVcs',
    action: 'registry:publish',
    tags: ['terraform cloud'],
    summary:
      'Create a module with a connection to a code host; its versions are uploaded until runs can fetch them',
    params: OrgParams,
    target: ofOrg,
    body: Body,
    answers: { 201: documented('The module') },
    async handle({ target: { org }, body: { attributes }, caller }, services) {
      const repo = attributes['vcs-repo']
      await checkConnection(org, repo['oauth-token-id'] ?? undefined, services)
      const [name, provider] = namesIn(repo.identifier)
      const fields = {
        name: attributes.name ?? name,
        provider: attributes.provider ?? provider,
        vcsRepo: vcsRepoOf(repo),
        ...defined({ testConfig: testConfigOf(attributes['test-config'], undefined) }),
      }
      if (fields.name === '' || fields.provider === '')
        throw invalidAttribute(
          'vcs-repo.identifier',
          `The name of the repository ${repo.identifier} says neither name nor provider of a module.`,
          'Name the repository terraform-<provider>-<name>, or give name and provider.',
        )
      const module = await services.registry.modules.create(org, fields, caller)
      return { status: 201, ...document(moduleDocument(await viewOf(org, module, services), caller)) }
    },
  }),
]

async function checkConnection(
  org: string,
  id: string | undefined,
  { governance }: TfcServices,
): Promise<void> {
  const found = id === undefined ? undefined : await governance.oauthClients.locateToken(id)
  if (found?.org !== org)
    throw invalidAttribute(
      'vcs-repo.oauth-token-id',
      'There is no connection to a code host with this token.',
      'Create an OAuth client with a token first.',
    )
}

/** Repositories of modules are called `terraform-<provider>-<name>`. */
function namesIn(identifier: string): readonly [string, string] {
  const [, provider = '', name = ''] = /(?:^|\/)terraform-([0-9a-z]+)-([^/]+)$/.exec(identifier) ?? []
  return [name, provider]
}

function vcsRepoOf(repo: z.infer<typeof Repo>): VcsRepo {
  return {
    identifier: repo.identifier,
    displayIdentifier: repo['display-identifier'] ?? repo.identifier,
    branch: repo.branch ?? '',
    tags: repo.tags ?? (repo.branch ?? '') === '',
    ...defined({
      oauthTokenId: repo['oauth-token-id'] ?? undefined,
      sourceDirectory: repo['source-directory'] ?? undefined,
      tagPrefix: repo['tag-prefix'] ?? undefined,
    }),
  }
}
