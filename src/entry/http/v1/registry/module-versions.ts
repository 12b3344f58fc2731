import { z } from 'zod'
import { emptyMetadata, type ModulePart } from '../../../../registry/index.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { route } from '../define.ts'
import { RegistryModuleVersion, VersionParams, ofNamed, tags, viewModuleVersion } from './shared.ts'

const path = '/v1/orgs/{org}/registry/modules/{name}/{provider}/{version}'

const Named = { name: z.string(), source: z.string(), version: z.string() }
const RegistryModulePart = z
  .object({
    path: z.string().meta({ description: 'Empty: the root of the module.' }),
    readme: z.string(),
    engine: z.string().meta({ description: 'The versions of the engine that it works with.' }),
    inputs: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        description: z.string(),
        default: z.string().nullable().meta({ description: 'As JSON or HCL. Null: the input is required.' }),
        isSensitive: z.boolean(),
      }),
    ),
    outputs: z.array(z.object({ name: z.string(), description: z.string(), isSensitive: z.boolean() })),
    resources: z.array(z.object({ mode: z.string(), type: z.string(), name: z.string() })),
    dependencies: z.array(z.object(Named)),
    providers: z.array(z.object(Named)),
  })
  .meta({ id: 'RegistryModulePart' })
const RegistryModuleDetails = RegistryModuleVersion.extend({
  isRead: z.boolean().meta({ description: 'False: it was published before modules were read.' }),
  root: RegistryModulePart,
  submodules: z.array(RegistryModulePart),
  examples: z.array(RegistryModulePart),
  faults: z.array(z.string()).meta({ description: 'What could not be read.' }),
}).meta({ id: 'RegistryModuleDetails' })

const DeprecationBody = z.strictObject({
  reason: z.string().meta({ description: 'What people should use instead.', example: 'Use 2.0.0.' }),
  link: z.string().optional(),
})

export const registryModuleVersionRoutes = [
  route({
    method: 'GET',
    path,
    id: 'getModuleVersion',
    action: 'registry:read',
    tags,
    summary: 'Show a version of a module: its README, inputs, outputs, resources and dependencies',
    params: VersionParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(RegistryModuleDetails, 'The version') },
    async handle(
      { target: { org }, params: { name, provider, version: number } },
      { registry: { modules } },
    ) {
      const { id } = await modules.get(org, { name, provider })
      const version = await modules.version(org, id, number)
      const metadata = await modules.metadata(org, id, version)
      const { root, submodules, examples, faults } = metadata ?? emptyMetadata()
      const json = {
        ...viewModuleVersion(version),
        isRead: metadata !== undefined,
        root: viewPart(root),
        submodules: submodules.map(viewPart),
        examples: examples.map(viewPart),
        faults,
      }
      return { status: 200, json }
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/deprecation`,
    id: 'deprecateModuleVersion',
    action: 'registry:publish',
    tags,
    summary: 'Deprecate a version of a module',
    description: 'Lists and pages warn about it. Engines install it all the same.',
    params: VersionParams,
    query: NoQuery,
    target: ofNamed,
    body: jsonBody(DeprecationBody),
    answers: { 200: jsonAnswer(RegistryModuleVersion, 'The version') },
    async handle({ target: { org }, params, body, caller }, { registry: { modules } }) {
      const { id } = await modules.get(org, { name: params.name, provider: params.provider })
      const at = { module: id, version: params.version }
      return { status: 200, json: viewModuleVersion(await modules.deprecate(org, at, body, caller)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/deprecation`,
    id: 'undeprecateModuleVersion',
    action: 'registry:publish',
    tags,
    summary: 'Take back the deprecation of a version of a module',
    params: VersionParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(RegistryModuleVersion, 'The version') },
    async handle({ target: { org }, params, caller }, { registry: { modules } }) {
      const { id } = await modules.get(org, { name: params.name, provider: params.provider })
      const at = { module: id, version: params.version }
      return { status: 200, json: viewModuleVersion(await modules.deprecate(org, at, null, caller)) }
    },
  }),
]

/** Without what a newer server may have added. */
function viewPart(part: ModulePart): z.infer<typeof RegistryModulePart> {
  return RegistryModulePart.parse(part)
}
