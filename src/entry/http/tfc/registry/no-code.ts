import { z } from 'zod'
import type { NoCodeModule } from '../../../../registry/index.ts'
import { resource, toOne } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { invalidRelation } from '../kit/errors.ts'
import { type ResourceObject, document, includes, many, one } from '../kit/json-api.ts'

const tags = ['terraform cloud']
const path = '/api/v2/no-code-modules/{id}'
const params = z.object({ id: z.string() })

const Options = z.object({
  data: z
    .array(
      z.object({
        attributes: z.object({
          'variable-name': z.string(),
          'variable-type': z.string().nullish(),
          options: z.array(z.string()).nullish(),
        }),
      }),
    )
    .max(500),
})
const Body = resource('no-code-modules', {
  attributes: { enabled: z.boolean().nullish(), 'version-pin': z.string().nullish() },
  relationships: { 'registry-module': toOne('registry-modules'), 'variable-options': Options },
})
type Fields = z.infer<typeof Body.schema>

export const noCodeRoutes = [
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/no-code-modules',
    id: 'createNoCodeModule',
    action: 'registry:publish',
    tags,
    summary: 'Store settings for using a module without code',
    params: OrgParams,
    target: ofOrg,
    body: Body,
    answers: { 201: documented('The settings') },
    async handle({ target: { org }, body, caller }, services) {
      const module = await moduleIn(org, body, services)
      if (module === undefined) throw invalidRelation('registry-module', 'The module is missing.')
      const fields = { module, ...changeOf({ enabled: true, variableOptions: [] }, body, services) }
      const made = await services.registry.noCode.create({ org }, fields, caller)
      return { status: 201, ...document(noCodeDocument(org, made, services)) }
    },
  }),
  route({
    method: 'GET',
    path,
    id: 'getNoCodeModule',
    action: 'registry:read',
    tags,
    summary: 'Show settings for using a module without code',
    params,
    query: z.object({ include: z.string().optional() }),
    target: ofNoCode,
    answers: { 200: documented('The settings') },
    handle({ target: { org, record }, query }, services) {
      const included = includes(query).has('variable-options')
        ? record.variableOptions.map(optionDocument)
        : []
      return { status: 200, ...document(noCodeDocument(org, record, services), { included }) }
    },
  }),
  route({
    method: 'PATCH',
    path,
    id: 'updateNoCodeModule',
    action: 'registry:publish',
    tags,
    summary: 'Change settings for using a module without code',
    params,
    target: ofNoCode,
    body: Body,
    answers: { 200: documented('The settings') },
    async handle({ target: { org, record }, body, caller }, services) {
      const module = (await moduleIn(org, body, services)) ?? record.module
      const changed = await services.registry.noCode.update(
        { org },
        record.id,
        (before) => ({ ...before, module, ...changeOf(before, body, services) }),
        caller,
      )
      return { status: 200, ...document(noCodeDocument(org, changed, services)) }
    },
  }),
  route({
    method: 'DELETE',
    path,
    id: 'deleteNoCodeModule',
    action: 'registry:publish',
    tags,
    summary: 'Delete settings for using a module without code',
    params,
    target: ofNoCode,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, { registry }) {
      await registry.noCode.remove({ org }, record.id, caller)
      return { status: 204 }
    },
  }),
]

function ofNoCode(
  given: { readonly params: { readonly id: string } },
  { locator, registry }: TfcServices,
): Promise<{ readonly org: string; readonly record: NoCodeModule }> {
  return locator.record(registry.noCode, given.params.id)
}

async function moduleIn(
  org: string,
  { relationships }: Fields,
  { registry }: TfcServices,
): Promise<string | undefined> {
  const id = relationships['registry-module'] ?? undefined
  if (id === undefined) return undefined
  if (!(await registry.modules.list(org)).some((module) => module.id === id))
    throw invalidRelation('registry-module', `There is no module ${id}.`)
  return id
}

function changeOf(
  before: Pick<NoCodeModule, 'enabled' | 'versionPin' | 'variableOptions'>,
  { attributes, relationships }: Fields,
  { ids }: TfcServices,
) {
  const versionPin = attributes['version-pin'] ?? before.versionPin
  const given = relationships['variable-options']?.data.map(({ attributes: option }) => ({
    id: ids.id('ncvo'),
    name: option['variable-name'],
    type: option['variable-type'] ?? 'string',
    options: option.options ?? [],
  }))
  return {
    enabled: attributes.enabled ?? before.enabled,
    ...(versionPin === undefined ? {} : { versionPin }),
    variableOptions: given ?? before.variableOptions,
  }
}

function noCodeDocument(org: string, record: NoCodeModule, { control }: TfcServices): ResourceObject {
  return {
    id: record.id,
    type: 'no-code-modules',
    attributes: { enabled: record.enabled, 'version-pin': record.versionPin ?? '' },
    relationships: {
      organization: one('organizations', control.orgNames.nameOf(org)),
      'registry-module': one('registry-modules', record.module),
      'variable-options': many(
        'variable-options',
        record.variableOptions.map(({ id }) => id),
      ),
    },
  }
}

function optionDocument({
  id,
  name,
  type,
  options,
}: NoCodeModule['variableOptions'][number]): ResourceObject {
  return {
    id,
    type: 'variable-options',
    attributes: { 'variable-name': name, 'variable-type': type, options },
  }
}
