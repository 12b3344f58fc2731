import { z } from 'zod'
import type { CatalogModule } from '../../../../registry/index.ts'
import { sendJson } from '../../kit/response/respond.ts'
import { NoQuery, jsonAnswer } from '../../openapi/api.ts'
import { rawRoute, route } from '../define.ts'
import {
  ModuleParams,
  RegistryModuleVersion,
  VersionParams,
  ofNamed,
  tags,
  uploadIn,
  viewModuleVersion,
} from './shared.ts'

const path = '/v1/orgs/{org}/registry/modules'
const one = `${path}/{name}/{provider}`
const OrgParams = z.object({ org: z.string() })

const RegistryModule = z
  .object({
    name: z.string(),
    provider: z.string(),
    versions: z.array(RegistryModuleVersion).meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'RegistryModule' })
const DELETED = { 204: { description: 'Deleted' } } as const

export const registryModuleRoutes = [
  route({
    method: 'GET',
    path,
    id: 'listModules',
    action: 'registry:read',
    tags,
    summary: 'List modules of the registry',
    params: OrgParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(z.object({ items: z.array(RegistryModule) }), 'All of them') },
    async handle({ target: { org } }, services) {
      const all = await services.registry.modules.catalog(org)
      const own = all.filter(({ module }) => module.registryName === 'private')
      return { status: 200, json: { items: own.map(viewOf) } }
    },
  }),
  route({
    method: 'GET',
    path: one,
    id: 'getModule',
    action: 'registry:read',
    tags,
    summary: 'Show a module and its versions',
    params: ModuleParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(RegistryModule, 'The module') },
    async handle({ target: { org }, params }, services) {
      const module = await services.registry.modules.get(org, params)
      const versions = await services.registry.modules.versions(org, module.id)
      return { status: 200, json: viewOf({ module, versions }) }
    },
  }),
  rawRoute({
    method: 'PUT',
    path: `${one}/{version}`,
    id: 'publishModule',
    action: 'registry:publish',
    tags,
    summary: 'Publish a version of a module',
    description:
      'The body is a tar archive, compressed with gzip. The module is created if it does not exist. The same archive may be sent again; another one is refused with CONFLICT.',
    params: VersionParams,
    query: NoQuery,
    target: ofNamed,
    body: { schema: z.string().meta({ type: 'string', format: 'binary' }) },
    answers: { 200: jsonAnswer(RegistryModuleVersion, 'Published') },
    async handle({ x, target: { org }, params: { name, provider, version } }, services) {
      const wanted = { name, provider, version }
      const published = await services.registry.publish.module(org, wanted, uploadIn(x, services), x.caller)
      sendJson(x, 200, viewModuleVersion(published), services.limits)
    },
  }),
  route({
    method: 'DELETE',
    path: one,
    id: 'deleteModule',
    action: 'registry:publish',
    tags,
    summary: 'Delete a module and all its versions',
    params: ModuleParams,
    query: NoQuery,
    target: ofNamed,
    answers: DELETED,
    async handle({ target: { org }, params, caller }, { registry: { modules } }) {
      const { id } = await modules.get(org, params)
      await modules.remove(org, id, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'DELETE',
    path: `${one}/{version}`,
    id: 'deleteModuleVersion',
    action: 'registry:publish',
    tags,
    summary: 'Delete a version of a module',
    params: VersionParams,
    query: NoQuery,
    target: ofNamed,
    answers: DELETED,
    async handle({ target: { org }, params, caller }, { registry: { modules } }) {
      const { id } = await modules.get(org, { name: params.name, provider: params.provider })
      await modules.removeVersion(org, id, params.version, caller)
      return { status: 204 }
    },
  }),
]

function viewOf({ module: { name, provider }, versions }: CatalogModule) {
  return { name, provider, versions: versions.map(viewModuleVersion) }
}
