import { z } from 'zod'
import type { CatalogModule, ModuleRecord, TestConfig } from '../../../../registry/index.ts'
import type { Caller } from '../../../../state/index.ts'
import { defined } from '../../../../base/defined.ts'
import { ignoredBody, resource } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { invalidAttribute, notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { uploadUrl } from './archives.ts'
import { type ModuleView, moduleDocument, moduleVersionDocument } from './module-documents.ts'

const common = { tags: ['terraform cloud'] } as const
const reading = { ...common, action: 'registry:read' } as const
const publishing = { ...common, action: 'registry:publish' } as const

const NameParams = z.object({ org: z.string(), registry: z.string(), ns: z.string(), name: z.string() })
const ModuleParams = NameParams.extend({ provider: z.string() })
const OwnParams = ModuleParams.omit({ registry: true }).partial({ ns: true })
const inOrg = '/api/v2/organizations/{org}/registry-modules'
const path = `${inOrg}/{registry}/{ns}/{name}/{provider}`

export const TestConfigBody = z.object({
  'tests-enabled': z.boolean().nullish(),
  'agent-execution-mode': z.enum(['agent', 'remote']).nullish(),
  'agent-pool-id': z.string().nullish(),
})

const NewModule = resource('registry-modules', {
  attributes: {
    name: z.string(),
    provider: z.string(),
    'registry-name': z.enum(['private', 'public']).nullish(),
    namespace: z.string().nullish(),
    'no-code': z.boolean().nullish(),
  },
})
const NewVersion = resource('registry-module-versions', {
  attributes: { version: z.string(), 'commit-sha': z.string().nullish() },
})
const Change = resource('registry-modules', {
  attributes: {
    'no-code': z.boolean().nullish(),
    'test-config': TestConfigBody.nullish(),
    'vcs-repo': z
      .object({
        branch: z.string().nullish(),
        tags: z.boolean().nullish(),
        'source-directory': z.string().nullish(),
        'tag-prefix': z.string().nullish(),
      })
      .nullish(),
  },
})

export const moduleRoutes = [
  route({
    ...reading,
    method: 'GET',
    path: inOrg,
    id: 'listRegistryModules',
    summary: 'List modules of the registry',
    params: OrgParams,
    query: z.object({
      ...paging,
      q: z.string().optional(),
      'filter[provider]': z.string().optional(),
      'filter[registry_name]': z.string().optional(),
      'filter[organization_name]': z.string().optional(),
    }),
    target: ofOrg,
    answers: { 200: documented('Modules') },
    async handle({ target: { org }, query, caller, x }, services) {
      const all = await services.registry.modules.catalog(org)
      const wanted = all.filter(({ module }) => isListed(module, query))
      const page = paged(wanted, query, x)
      const items = page.items.map((one) => moduleDocument(namedView(org, one, services), caller))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    ...publishing,
    method: 'POST',
    path: inOrg,
    id: 'createRegistryModule',
    summary: 'Create a module without a connection to a code host',
    params: OrgParams,
    target: ofOrg,
    body: NewModule,
    answers: { 201: documented('The module') },
    async handle({ target: { org }, body: { attributes }, caller }, services) {
      const registryName = attributes['registry-name'] ?? 'private'
      const namespace = namespaceFor(org, registryName, attributes.namespace ?? undefined, services)
      const module = await services.registry.modules.create(
        org,
        {
          name: attributes.name,
          provider: attributes.provider,
          registryName,
          ...defined({ namespace, noCode: attributes['no-code'] ?? undefined }),
        },
        caller,
      )
      return { status: 201, ...document(moduleDocument(await viewOf(org, module, services), caller)) }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path,
    id: 'getRegistryModule',
    summary: 'Show a module of the registry',
    params: ModuleParams,
    target: ofOrg,
    answers: { 200: documented('The module') },
    async handle({ params, caller }, services) {
      return { status: 200, ...document(moduleDocument(await find(params, services), caller)) }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: '/api/v2/registry-modules/{id}',
    id: 'getRegistryModuleById',
    summary: 'Show a module of the registry by its id',
    params: z.object({ id: z.string() }),
    target: ofModule,
    answers: { 200: documented('The module') },
    async handle({ target, caller }, services) {
      return {
        status: 200,
        ...document(moduleDocument(await viewOf(target.org, target.record, services), caller)),
      }
    },
  }),
  route({
    ...publishing,
    method: 'PATCH',
    path,
    id: 'updateRegistryModule',
    summary: 'Change settings of a module',
    params: ModuleParams,
    target: ofOrg,
    body: Change,
    answers: { 200: documented('The module') },
    async handle({ params, body: { attributes }, caller }, services) {
      const { module } = await find(params, services)
      const vcs = attributes['vcs-repo']
      const change = {
        ...defined({
          noCode: attributes['no-code'] ?? undefined,
          testConfig: testConfigOf(attributes['test-config'], module.testConfig),
        }),
        ...(vcs
          ? {
              vcsRepo: defined({
                branch: vcs.branch ?? undefined,
                tags: vcs.tags ?? undefined,
                sourceDirectory: vcs['source-directory'] ?? undefined,
                tagPrefix: vcs['tag-prefix'] ?? undefined,
              }),
            }
          : {}),
      }
      const changed = await services.registry.modules.update(params.org, module.id, change, caller)
      return { status: 200, ...document(moduleDocument(await viewOf(params.org, changed, services), caller)) }
    },
  }),
  route({
    ...publishing,
    method: 'DELETE',
    path: `${inOrg}/{registry}/{ns}/{name}`,
    id: 'deleteRegistryModulesByName',
    summary: 'Delete the modules of a name, whatever their provider',
    params: NameParams,
    target: ofOrg,
    answers: { 204: NO_CONTENT },
    async handle({ params, caller }, services) {
      await removeNamed(params, caller, services)
      return { status: 204 }
    },
  }),
  route({
    ...publishing,
    method: 'DELETE',
    path,
    id: 'deleteRegistryModule',
    summary: 'Delete a module and all its versions',
    params: ModuleParams,
    target: ofOrg,
    answers: { 204: NO_CONTENT },
    async handle({ params, caller }, services) {
      const { module } = await find(params, services)
      await services.registry.modules.remove(params.org, module.id, caller)
      return { status: 204 }
    },
  }),
  route({
    ...publishing,
    method: 'DELETE',
    path: `${path}/{version}`,
    id: 'deleteRegistryModuleVersion',
    summary: 'Delete a version of a module',
    params: ModuleParams.extend({ version: z.string() }),
    target: ofOrg,
    answers: { 204: NO_CONTENT },
    async handle({ params, caller }, services) {
      const { module } = await find(params, services)
      await services.registry.modules.removeVersion(params.org, module.id, params.version, caller)
      return { status: 204 }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: `${inOrg}/private/{ns}/{name}/{provider}/version`,
    id: 'getRegistryModuleVersion',
    summary: 'Show a version of a module',
    params: ModuleParams.omit({ registry: true }),
    query: z.object({ module_version: z.string() }),
    target: ofOrg,
    answers: { 200: documented('The version') },
    async handle({ params, query, x, caller }, services) {
      const view = await find({ ...params, registry: 'private' }, services)
      const found = view.versions.find(({ version }) => version === query.module_version)
      if (found === undefined) throw notFound()
      const upload = uploadOf(view, found.id, params.org)
      const link = isOpen(found, caller) ? uploadUrl(x, services, upload) : undefined
      return { status: 200, ...document(moduleVersionDocument(view, found, link)) }
    },
  }),
  route({
    ...reading,
    method: 'GET',
    path: `${inOrg}/private/{ns}/{name}/{provider}/commits`,
    id: 'listRegistryModuleCommits',
    summary: 'List the commits that versions can be made from; modules without a code host have none',
    params: ModuleParams.omit({ registry: true }),
    query: z.object(paging),
    target: ofOrg,
    answers: { 200: documented('Commits') },
    async handle({ params, query, x }, services) {
      await find({ ...params, registry: 'private' }, services)
      return { status: 200, ...listed(paged([], query, x)) }
    },
  }),
  ...[
    '/api/v2/registry-modules/{org}/{name}/{provider}/versions',
    `${inOrg}/private/{ns}/{name}/{provider}/versions`,
  ].map((versionsPath, i) =>
    route({
      ...publishing,
      method: 'POST',
      path: versionsPath,
      id: i === 0 ? 'createRegistryModuleVersion' : 'createPrivateModuleVersion',
      summary: 'Create a version of a module, and get the address to send its archive to',
      params: OwnParams,
      target: ofOrg,
      body: NewVersion,
      answers: { 201: documented('The version, with a link to upload its archive') },
      async handle({ params, body: { attributes }, caller, x }, services) {
        const { org, ns } = params
        const view = await find({ registry: 'private', ...params, ns: ns ?? org }, services)
        const fields = defined({
          version: attributes.version,
          commitSha: attributes['commit-sha'] ?? undefined,
        })
        const version = await services.registry.modules.createVersion(org, view.module.id, fields, caller)
        const link = uploadUrl(x, services, uploadOf(view, version.id, org))
        return { status: 201, ...document(moduleVersionDocument(view, version, link)) }
      },
    }),
  ),
  ...[
    { suffix: '', id: 'deleteModuleByAction' },
    { suffix: '/{provider}', id: 'deleteModuleProviderByAction' },
    { suffix: '/{provider}/{version}', id: 'deleteModuleVersionByAction' },
  ].map(({ suffix, id }) =>
    route({
      ...publishing,
      method: 'POST',
      path: `/api/v2/registry-modules/actions/delete/{org}/{name}${suffix}`,
      id,
      summary: 'Delete modules, a module or a version, as older clients do',
      params: z.object({
        org: z.string(),
        name: z.string(),
        provider: z.string().optional(),
        version: z.string().optional(),
      }),
      target: ofOrg,
      body: ignoredBody,
      answers: { 204: NO_CONTENT },
      async handle({ params: { org, name, provider, version }, caller }, services) {
        const { modules } = services.registry
        if (provider === undefined)
          await removeNamed({ org, registry: 'private', ns: org, name }, caller, services)
        else {
          const module = await modules.get(org, { name, provider })
          if (version === undefined) await modules.remove(org, module.id, caller)
          else await modules.removeVersion(org, module.id, version, caller)
        }
        return { status: 204 }
      },
    }),
  ),
]

function ofModule(
  { params }: { readonly params: { readonly id: string } },
  { locator, registry }: TfcServices,
) {
  return locator.record(registry.modules.records, params.id)
}

function uploadOf({ module }: ModuleView, version: string, org: string) {
  return { kind: 'module', org, owner: module.id, version } as const
}

/** Publishers get the address again, in case it expired before it was used. */
function isOpen({ archive }: ModuleView['versions'][number], { sight }: Caller): boolean {
  return archive === undefined && (sight?.may('registry:publish', undefined) ?? true)
}

function isListed(
  { name, provider, registryName }: ModuleRecord,
  query: Readonly<Record<string, unknown>>,
): boolean {
  const { q, 'filter[provider]': wanted, 'filter[registry_name]': registry } = query
  if (typeof wanted === 'string' && !wanted.split(',').includes(provider)) return false
  if (typeof registry === 'string' && registry !== registryName) return false
  return typeof q !== 'string' || `${name}/${provider}`.toLowerCase().includes(q.toLowerCase())
}

/** What a module is known by on this API: that of a private one is its organization. */
export function namespaceFor(
  org: string,
  registryName: string,
  namespace: string | undefined,
  { control }: TfcServices,
): string | undefined {
  if (registryName === 'public') {
    if (namespace === undefined || namespace === '')
      throw invalidAttribute('namespace', 'A public module or provider needs its namespace.')
    return namespace
  }
  if (namespace !== undefined && namespace !== '' && control.orgNames.idOf(namespace) !== org)
    throw invalidAttribute('namespace', 'The namespace of what is private is the organization.')
  return undefined
}

export async function viewOf(org: string, module: ModuleRecord, services: TfcServices): Promise<ModuleView> {
  const versions = await services.registry.modules.versions(org, module.id)
  return namedView(org, { module, versions }, services)
}

function namedView(org: string, found: CatalogModule, { control }: TfcServices): ModuleView {
  const name = control.orgNames.nameOf(org)
  return { ...found, org: name, namespace: found.module.namespace ?? name }
}

async function find(
  { org, registry, ns, name, provider }: z.infer<typeof ModuleParams>,
  services: TfcServices,
): Promise<ModuleView> {
  const wanted = {
    name,
    provider,
    registryName: registry,
    namespace: namespaceIn(org, registry, ns, services),
  }
  return viewOf(org, await services.registry.modules.get(org, wanted), services)
}

/** Of an address. Another namespace than the organization has no private modules or providers. */
export function namespaceIn(
  org: string,
  registry: string,
  ns: string,
  { control }: TfcServices,
): string | undefined {
  if (registry === 'public') return ns
  if (control.orgNames.idOf(ns) !== org) throw notFound()
  return undefined
}

async function removeNamed(
  { org, registry, ns, name }: z.infer<typeof NameParams>,
  caller: Caller,
  services: TfcServices,
): Promise<void> {
  const namespace = namespaceIn(org, registry, ns, services)
  const { modules } = services.registry
  const found = (await modules.list(org)).filter(
    (one) => one.registryName === registry && one.namespace === namespace && one.name === name,
  )
  if (found.length === 0) throw notFound()
  for (const { id } of found) await modules.remove(org, id, caller)
}

export function testConfigOf(
  given: z.infer<typeof TestConfigBody> | null | undefined,
  before: TestConfig | undefined,
): TestConfig | undefined {
  if (given === null || given === undefined) return undefined
  return {
    ...before,
    ...defined({
      agentExecutionMode: given['agent-execution-mode'] ?? undefined,
      agentPoolId: given['agent-pool-id'] ?? undefined,
    }),
    testsEnabled: given['tests-enabled'] ?? before?.testsEnabled ?? false,
  }
}
