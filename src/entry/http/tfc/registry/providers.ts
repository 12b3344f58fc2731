import { z } from 'zod'
import type { ProviderRecord } from '../../../../registry/index.ts'
import { defined } from '../../../../base/defined.ts'
import { resource } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { document, includes } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { namespaceFor, namespaceIn } from './modules.ts'
import {
  type ProviderView,
  platformDocument,
  providerDocument,
  versionDocument,
} from './provider-documents.ts'

const common = { tags: ['terraform cloud'] } as const
const reading = { ...common, action: 'registry:read', target: ofOrg } as const
const publishing = { ...common, action: 'registry:publish', target: ofOrg } as const

const inOrg = '/api/v2/organizations/{org}/registry-providers'
const path = `${inOrg}/{registry}/{ns}/{name}`
const versionsPath = `${path}/versions`
const platformsPath = `${versionsPath}/{version}/platforms`

const ProviderParams = z.object({ org: z.string(), registry: z.string(), ns: z.string(), name: z.string() })
const VersionParams = ProviderParams.extend({ version: z.string() })
const PlatformParams = VersionParams.extend({ os: z.string(), arch: z.string() })

const NewProvider = resource('registry-providers', {
  attributes: {
    name: z.string(),
    namespace: z.string().nullish(),
    'registry-name': z.enum(['private', 'public']),
  },
})
const NewVersion = resource('registry-provider-versions', {
  attributes: { version: z.string(), 'key-id': z.string(), protocols: z.array(z.string()).max(20) },
})
const NewPlatform = resource(['registry-provider-version-platforms', 'registry-provider-platforms'], {
  attributes: { os: z.string(), arch: z.string(), shasum: z.string(), filename: z.string() },
})

export const providerRoutes = [
  route({
    ...reading,
    method: 'GET',
    path: inOrg,
    id: 'listRegistryProviders',
    summary: 'List providers of the registry',
    params: OrgParams,
    query: z.object({
      ...paging,
      q: z.string().optional(),
      'filter[registry_name]': z.string().optional(),
      'filter[organization_name]': z.string().optional(),
    }),
    answers: { 200: documented('Providers') },
    async handle({ target: { org }, query, caller, x }, services) {
      const { q, 'filter[registry_name]': registry } = query
      const all = (await services.registry.providers.list(org)).filter(
        ({ name, registryName }) =>
          (registry === undefined || registry === registryName) &&
          (q === undefined || name.includes(q.toLowerCase())),
      )
      const page = paged(all, query, x)
      const views = await Promise.all(page.items.map((provider) => viewOf(org, provider, services)))
      const items = views.map((view) => providerDocument(view, caller))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    ...publishing,
    method: 'POST',
    path: inOrg,
    id: 'createRegistryProvider',
    summary: 'Create a provider',
    params: OrgParams,
    body: NewProvider,
    answers: { 201: documented('The provider') },
    async handle({ target: { org }, body: { attributes }, caller }, services) {
      const { name, 'registry-name': registryName } = attributes
      const namespace = namespaceFor(org, registryName, attributes.namespace ?? undefined, services)
      const fields = { name, registryName, ...defined({ namespace }) }
      const provider = await services.registry.providers.create(org, fields, caller)
      return { status: 201, ...document(providerDocument(await viewOf(org, provider, services), caller)) }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path,
    id: 'getRegistryProvider',
    summary: 'Show a provider of the registry',
    params: ProviderParams,
    query: z.object({ include: z.string().optional() }),
    answers: { 200: documented('The provider') },
    async handle({ params, query, caller, x }, services) {
      const view = await find(params, services)
      const making = { x, services, caller, org: params.org }
      const included = includes(query).has('registry-provider-versions')
        ? view.versions.map((version) => versionDocument(view, version, making))
        : []
      return { status: 200, ...document(providerDocument(view, caller), { included }) }
    },
  }),
  route({
    ...common,
    action: 'registry:read',
    method: 'GET',
    path: '/api/v2/registry-providers/{id}',
    id: 'getRegistryProviderById',
    summary: 'Show a provider of the registry by its id',
    params: z.object({ id: z.string() }),
    target: ofProvider,
    answers: { 200: documented('The provider') },
    async handle({ target, caller }, services) {
      const view = await viewOf(target.org, target.record, services)
      return { status: 200, ...document(providerDocument(view, caller)) }
    },
  }),
  route({
    ...publishing,
    method: 'DELETE',
    path,
    id: 'deleteRegistryProvider',
    summary: 'Delete a provider and all its versions',
    params: ProviderParams,
    answers: { 204: NO_CONTENT },
    async handle({ params, caller }, services) {
      const { provider } = await find(params, services)
      await services.registry.providers.remove(params.org, provider.id, caller)
      return { status: 204 }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: versionsPath,
    id: 'listRegistryProviderVersions',
    summary: 'List versions of a provider',
    params: ProviderParams,
    query: z.object(paging),
    answers: { 200: documented('Versions') },
    async handle({ params, query, caller, x }, services) {
      const view = await find(params, services)
      const making = { x, services, caller, org: params.org }
      const page = paged(view.versions, query, x)
      const items = page.items.map((version) => versionDocument(view, version, making))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    ...publishing,
    method: 'POST',
    path: versionsPath,
    id: 'createRegistryProviderVersion',
    summary: 'Create a version of a provider, and get the addresses to send its checksums to',
    params: ProviderParams,
    body: NewVersion,
    answers: { 201: documented('The version') },
    async handle({ params, body: { attributes }, caller, x }, services) {
      const view = await find(params, services)
      const { version: number, 'key-id': keyId, protocols } = attributes
      const fields = { version: number, keyId, protocols }
      const version = await services.registry.providers.createVersion(
        params.org,
        view.provider.id,
        fields,
        caller,
      )
      const making = { x, services, caller, org: params.org }
      return { status: 201, ...document(versionDocument(view, version, making)) }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: `${versionsPath}/{version}`,
    id: 'getRegistryProviderVersion',
    summary: 'Show a version of a provider',
    params: VersionParams,
    answers: { 200: documented('The version') },
    async handle({ params, caller, x }, services) {
      const { view, version } = await findVersion(params, services)
      const making = { x, services, caller, org: params.org }
      return { status: 200, ...document(versionDocument(view, version, making)) }
    },
  }),
  route({
    ...publishing,
    method: 'DELETE',
    path: `${versionsPath}/{version}`,
    id: 'deleteRegistryProviderVersion',
    summary: 'Delete a version of a provider',
    params: VersionParams,
    answers: { 204: NO_CONTENT },
    async handle({ params, caller }, services) {
      const { view } = await findVersion(params, services)
      const { org, version } = params
      await services.registry.providers.removeVersion(org, view.provider.id, version, caller)
      return { status: 204 }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: platformsPath,
    id: 'listRegistryProviderPlatforms',
    summary: 'List platforms of a version of a provider',
    params: VersionParams,
    query: z.object(paging),
    answers: { 200: documented('Platforms') },
    async handle({ params, query, caller, x }, services) {
      const { view, version } = await findVersion(params, services)
      const making = { x, services, caller, org: params.org }
      const page = paged(version.platforms, query, x)
      const items = page.items.map((platform) => platformDocument(view, version, platform, making))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    ...publishing,
    method: 'POST',
    path: platformsPath,
    id: 'createRegistryProviderPlatform',
    summary: 'Create a platform of a version, and get the address to send its package to',
    params: VersionParams,
    body: NewPlatform,
    answers: { 201: documented('The platform') },
    async handle({ params, body: { attributes }, caller, x }, services) {
      const { view, version } = await findVersion(params, services)
      const { org } = params
      const { providers } = services.registry
      const changed = await providers.addPlatform(org, view.provider.id, version.id, attributes, caller)
      const made = platformIn(changed, attributes)
      const making = { x, services, caller, org }
      return { status: 201, ...document(platformDocument(view, changed, made, making)) }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: `${platformsPath}/{os}/{arch}`,
    id: 'getRegistryProviderPlatform',
    summary: 'Show a platform of a version of a provider',
    params: PlatformParams,
    answers: { 200: documented('The platform') },
    async handle({ params, caller, x }, services) {
      const { view, version } = await findVersion(params, services)
      const making = { x, services, caller, org: params.org }
      const platform = platformIn(version, params)
      return { status: 200, ...document(platformDocument(view, version, platform, making)) }
    },
  }),
  route({
    ...publishing,
    method: 'DELETE',
    path: `${platformsPath}/{os}/{arch}`,
    id: 'deleteRegistryProviderPlatform',
    summary: 'Delete a platform of a version of a provider',
    params: PlatformParams,
    answers: { 204: NO_CONTENT },
    async handle({ params, caller }, services) {
      const { view, version } = await findVersion(params, services)
      const { id } = platformIn(version, params)
      const { providers } = services.registry
      await providers.removePlatform(params.org, view.provider.id, version.id, id, caller)
      return { status: 204 }
    },
  }),
]

function ofProvider(
  { params }: { readonly params: { readonly id: string } },
  { locator, registry }: TfcServices,
) {
  return locator.record(registry.providers.records, params.id)
}

async function viewOf(org: string, provider: ProviderRecord, services: TfcServices): Promise<ProviderView> {
  const name = services.control.orgNames.nameOf(org)
  const versions = await services.registry.providers.versions(org, provider.id)
  return { provider, versions, org: name, namespace: provider.namespace ?? name }
}

async function find(
  { org, registry, ns, name }: z.infer<typeof ProviderParams>,
  services: TfcServices,
): Promise<ProviderView> {
  const wanted = { name, registryName: registry, namespace: namespaceIn(org, registry, ns, services) }
  return viewOf(org, await services.registry.providers.get(org, wanted), services)
}

async function findVersion(params: z.infer<typeof VersionParams>, services: TfcServices) {
  const view = await find(params, services)
  const version = view.versions.find((one) => one.version === params.version)
  if (version === undefined) throw notFound()
  return { view, version }
}

function platformIn(
  { platforms }: ProviderView['versions'][number],
  { os, arch }: { readonly os: string; readonly arch: string },
) {
  const found = platforms.find((one) => one.os === os && one.arch === arch)
  if (found === undefined) throw notFound()
  return found
}
