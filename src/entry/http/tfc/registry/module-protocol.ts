import { z } from 'zod'
import { TacoError } from '../../../../base/errors.ts'
import {
  type ModuleRecord,
  type ModuleVersion,
  emptyMetadata,
  publishedAt,
} from '../../../../registry/index.ts'
import { NO_CONTENT, type TfcServices, ofOrg, route } from '../kit/define.ts'
import { downloadUrl } from './archives.ts'
import { partDocument } from './module-part-document.ts'
import { ListQuery, described, listMeta, protocol } from './protocol.ts'

/** The module registry protocol, `modules.v1`: https://developer.hashicorp.com/terraform/internals/module-registry-protocol */
const ModuleParams = z.object({ org: z.string(), name: z.string(), provider: z.string() })
const VersionParams = ModuleParams.extend({ version: z.string() })
const path = '/api/registry/v1/modules/{org}/{name}/{provider}'

type Asked = z.infer<typeof ModuleParams>

export const moduleProtocolRoutes = [
  route({
    ...protocol,
    path: '/api/registry/v1/modules/{org}',
    id: 'listPublishedModules',
    summary: 'List the modules of an organization',
    params: z.object({ org: z.string() }),
    query: ListQuery,
    target: ofOrg,
    answers: { 200: described('A page') },
    async handle({ target, query }, services) {
      const published = (await publishedIn(target.org, services)).filter(({ module }) =>
        isWanted(module, query),
      )
      const { offset, limit } = query
      const page = published.slice(offset, offset + limit)
      const modules = page.map(({ module, versions }) =>
        metadataOf(target.org, module, versions[0], services),
      )
      return { status: 200, json: { meta: listMeta(query, published.length), modules } }
    },
  }),
  route({
    ...protocol,
    path,
    id: 'readLatestModule',
    summary: 'The newest version of a module',
    params: ModuleParams,
    target: ofOrg,
    answers: { 200: described('The module') },
    async handle({ target, params }, services) {
      const { module, versions } = await published(target.org, params, services)
      return { status: 200, json: await detailsOf(target.org, module, versions, versions[0], services) }
    },
  }),
  route({
    ...protocol,
    path: `${path}/versions`,
    id: 'listModuleVersionsForEngines',
    summary: 'List the versions of a module, for engines',
    params: ModuleParams,
    target: ofOrg,
    answers: { 200: described('Versions') },
    async handle({ target, params }, services) {
      const { module, versions } = await published(target.org, params, services)
      const source = sourceOf(target.org, module, services)
      const list = versions.map(({ version }) => ({ version }))
      return { status: 200, json: { modules: [{ source, versions: list }] } }
    },
  }),
  route({
    ...protocol,
    path: `${path}/{version}`,
    id: 'readModuleVersion',
    summary: 'A version of a module',
    params: VersionParams,
    target: ofOrg,
    answers: { 200: described('The module') },
    async handle({ target, params }, services) {
      const { module, versions } = await published(target.org, params, services)
      const version = versionIn(versions, params.version)
      return { status: 200, json: await detailsOf(target.org, module, versions, version, services) }
    },
  }),
  route({
    ...protocol,
    path: `${path}/{version}/download`,
    id: 'locateModuleArchive',
    summary: 'Where engines find the archive of a version, in X-Terraform-Get',
    params: VersionParams,
    target: ofOrg,
    // OpenTofu takes 200 for an answer of another kind.
    answers: { 204: NO_CONTENT },
    async handle({ target: { org }, params, x }, services) {
      const { module, versions } = await published(org, params, services)
      const { version, archive } = versionIn(versions, params.version)
      const file = { org, kind: 'module' as const, owner: module.id, file: archive }
      const name = `${module.name}-${module.provider}-${version}.tar.gz`
      return { status: 204, headers: { 'x-terraform-get': downloadUrl(x, services, file, name) } }
    },
  }),
]

/** A version that engines can install. */
type Published = ModuleVersion & { readonly archive: NonNullable<ModuleVersion['archive']> }

const isPublished = (version: ModuleVersion): version is Published => version.archive !== undefined

async function published(org: string, { name, provider }: Asked, { registry: { modules } }: TfcServices) {
  const module = await modules.get(org, { name, provider })
  const versions = (await modules.versions(org, module.id)).filter(isPublished)
  return { module, versions }
}

async function publishedIn(org: string, { registry: { modules } }: TfcServices) {
  const all = (await modules.catalog(org)).filter(({ module }) => module.registryName === 'private')
  return all
    .map(({ module, versions }) => ({ module, versions: versions.filter(isPublished) }))
    .filter(({ versions }) => versions.length > 0)
}

function isWanted({ name, provider }: ModuleRecord, query: z.infer<typeof ListQuery>): boolean {
  if (query.provider !== undefined && query.provider !== provider) return false
  return query.q === undefined || name.toLowerCase().includes(query.q.toLowerCase())
}

function versionIn(versions: readonly Published[], wanted: string): Published {
  const found = versions.find(({ version }) => version === wanted)
  if (found === undefined) throw new TacoError('NOT_FOUND', `The module has no version ${wanted}.`)
  return found
}

function sourceOf(org: string, { name, provider }: ModuleRecord, { control }: TfcServices): string {
  return `${control.orgNames.nameOf(org)}/${name}/${provider}`
}

function metadataOf(
  org: string,
  module: ModuleRecord,
  version: Published | undefined,
  services: TfcServices,
) {
  if (version === undefined) throw new TacoError('NOT_FOUND', 'The module has no versions.')
  const namespace = services.control.orgNames.nameOf(org)
  return {
    id: `${namespace}/${module.name}/${module.provider}/${version.version}`,
    owner: version.createdBy,
    namespace,
    name: module.name,
    version: version.version,
    provider: module.provider,
    provider_logo_url: '',
    description: version.summary ?? '',
    source: module.vcsRepo?.identifier ?? '',
    tag: '',
    published_at: new Date(publishedAt(version) ?? version.updatedAt).toISOString(),
    downloads: 0,
    verified: false,
  }
}

async function detailsOf(
  org: string,
  module: ModuleRecord,
  versions: readonly Published[],
  version: Published | undefined,
  services: TfcServices,
) {
  const about = metadataOf(org, module, version, services)
  const stored = version && (await services.registry.modules.metadata(org, module.id, version))
  const { root, submodules, examples } = stored ?? emptyMetadata()
  return {
    ...about,
    root: partDocument(root, module.name),
    submodules: submodules.map((part) => partDocument(part)),
    examples: examples.map((part) => partDocument(part)),
    providers: [module.provider],
    versions: versions.map((one) => one.version),
  }
}
