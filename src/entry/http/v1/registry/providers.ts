import { z } from 'zod'
import { isoTime } from '../../../../base/clock.ts'
import type { CatalogProvider, GpgKey } from '../../../../registry/index.ts'
import { sendJson } from '../../kit/response/respond.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { rawRoute, route } from '../define.ts'
import { RegistryProviderVersion, ofNamed, tags, uploadIn, viewProviderVersion } from './shared.ts'

const path = '/v1/orgs/{org}/registry/providers'
const keysPath = '/v1/orgs/{org}/registry/keys'
const OrgParams = z.object({ org: z.string() })
const ProviderParams = OrgParams.extend({ name: z.string().meta({ example: 'internal' }) })
const VersionParams = ProviderParams.extend({ version: z.string().meta({ example: '0.3.1' }) })
const FileParams = VersionParams.extend({
  file: z.string().meta({ example: 'terraform-provider-internal_0.3.1_linux_amd64.zip' }),
})

const RegistryProvider = z
  .object({
    name: z.string(),
    versions: z.array(RegistryProviderVersion).meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'RegistryProvider' })
const SigningKey = z
  .object({ keyId: z.string(), asciiArmor: z.string(), createdAt: z.iso.datetime(), createdBy: z.string() })
  .meta({ id: 'SigningKey' })
const DELETED = { 204: { description: 'Deleted' } } as const

export const registryProviderRoutes = [
  route({
    method: 'GET',
    path,
    id: 'listProvidersOfRegistry',
    action: 'registry:read',
    tags,
    summary: 'List providers of the registry',
    params: OrgParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(z.object({ items: z.array(RegistryProvider) }), 'All of them') },
    async handle({ target: { org } }, services) {
      const all = await services.registry.providers.catalog(org)
      const own = all.filter(({ provider }) => provider.registryName === 'private')
      return { status: 200, json: { items: own.map(viewOf) } }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{name}`,
    id: 'getProviderOfRegistry',
    action: 'registry:read',
    tags,
    summary: 'Show a provider and its versions',
    params: ProviderParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(RegistryProvider, 'The provider') },
    async handle({ target: { org }, params }, services) {
      const provider = await services.registry.providers.get(org, { name: params.name })
      const versions = await services.registry.providers.versions(org, provider.id)
      return { status: 200, json: viewOf({ provider, versions }) }
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/{name}/{version}`,
    id: 'prepareProviderVersion',
    action: 'registry:publish',
    tags,
    summary: 'Create a version of a provider, for its files',
    description:
      'The provider is created if it does not exist. Send SHA256SUMS, its signature and the packages next.',
    params: VersionParams,
    query: NoQuery,
    target: ofNamed,
    body: jsonBody(
      z.strictObject({
        keyId: z.string().meta({ description: 'The key that signs it.' }),
        protocols: z.array(z.string()).max(20).default(['5.0']),
      }),
    ),
    answers: { 200: jsonAnswer(RegistryProviderVersion, 'The version') },
    async handle({ target: { org }, params: { name, version }, body, caller }, { registry }) {
      const made = await registry.publish.provider(org, { name, version, ...body }, caller)
      return { status: 200, json: viewProviderVersion(made) }
    },
  }),
  rawRoute({
    method: 'PUT',
    path: `${path}/{name}/{version}/{file}`,
    id: 'uploadProviderFile',
    action: 'registry:publish',
    tags,
    summary: 'Send a file of a version of a provider',
    description:
      'In this order: `…_SHA256SUMS`, `…_SHA256SUMS.sig` (binary), and packages as `…_<os>_<arch>.zip`, whose checksums must be in SHA256SUMS.',
    params: FileParams,
    query: NoQuery,
    target: ofNamed,
    body: { schema: z.string().meta({ type: 'string', format: 'binary' }) },
    answers: { 200: jsonAnswer(RegistryProviderVersion, 'The version') },
    async handle({ x, target: { org }, params: { name, version, file } }, services) {
      const of = { name, version, file }
      const changed = await services.registry.publish.providerFile(org, of, uploadIn(x, services), x.caller)
      sendJson(x, 200, viewProviderVersion(changed), services.limits)
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{name}`,
    id: 'deleteProviderOfRegistry',
    action: 'registry:publish',
    tags,
    summary: 'Delete a provider and all its versions',
    params: ProviderParams,
    query: NoQuery,
    target: ofNamed,
    answers: DELETED,
    async handle({ target: { org }, params, caller }, { registry: { providers } }) {
      const { id } = await providers.get(org, { name: params.name })
      await providers.remove(org, id, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{name}/{version}`,
    id: 'deleteProviderVersion',
    action: 'registry:publish',
    tags,
    summary: 'Delete a version of a provider',
    params: VersionParams,
    query: NoQuery,
    target: ofNamed,
    answers: DELETED,
    async handle({ target: { org }, params, caller }, { registry: { providers } }) {
      const { id } = await providers.get(org, { name: params.name })
      await providers.removeVersion(org, id, params.version, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: keysPath,
    id: 'listSigningKeys',
    action: 'registry:read',
    tags,
    summary: 'List the public keys that sign providers',
    params: OrgParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(z.object({ items: z.array(SigningKey) }), 'All of them') },
    async handle({ target: { org } }, { registry }) {
      return { status: 200, json: { items: (await registry.gpgKeys.list(org)).map(viewKey) } }
    },
  }),
  route({
    method: 'POST',
    path: keysPath,
    id: 'addSigningKey',
    action: 'registry:publish',
    tags,
    summary: 'Add a public key that signs providers',
    description: 'The same key may be added again.',
    params: OrgParams,
    query: NoQuery,
    target: ofNamed,
    body: jsonBody(z.strictObject({ asciiArmor: z.string() })),
    answers: { 200: jsonAnswer(SigningKey, 'The key') },
    async handle({ target: { org }, body, caller }, { registry }) {
      return { status: 200, json: viewKey(await registry.publish.key(org, body.asciiArmor, caller)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${keysPath}/{key}`,
    id: 'deleteSigningKey',
    action: 'registry:publish',
    tags,
    summary: 'Delete a key; versions that it signed cannot be installed any more',
    params: OrgParams.extend({ key: z.string().meta({ description: 'Its id: 16 digits.' }) }),
    query: NoQuery,
    target: ofNamed,
    answers: DELETED,
    async handle({ target: { org }, params, caller }, { registry }) {
      await registry.gpgKeys.remove(org, params.key, caller)
      return { status: 204 }
    },
  }),
]

function viewOf({ provider: { name }, versions }: CatalogProvider) {
  return { name, versions: versions.map(viewProviderVersion) }
}

function viewKey({ keyId, asciiArmor, createdAt, createdBy }: GpgKey) {
  return { keyId, asciiArmor, createdAt: isoTime(createdAt), createdBy }
}
