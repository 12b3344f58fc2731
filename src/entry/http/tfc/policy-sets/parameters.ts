import { z } from 'zod'
import { resource } from '../kit/body.ts'
import { NO_CONTENT, documented, route } from '../kit/define.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { SetParams, ofSet, tags } from './target.ts'
import { viewParameter } from './views.ts'

const path = '/api/v2/policy-sets/{set}/parameters'
const params = SetParams.extend({ parameter: z.string() })
const key = z.string().trim().min(1).max(255)
const attributes = {
  value: z.string().max(65_536).nullish(),
  sensitive: z.boolean().nullish(),
  category: z.literal('policy-set').nullish(),
}

function changeOf(given: {
  readonly value?: string | null | undefined
  readonly sensitive?: boolean | null | undefined
}) {
  return { value: given.value ?? undefined, isSensitive: given.sensitive ?? undefined }
}

export const policySetParameterRoutes = [
  route({
    method: 'GET',
    path,
    id: 'tfcListPolicySetParameters',
    action: 'policy:read',
    tags,
    summary: 'List the parameters of a policy set',
    params: SetParams,
    query: z.object(paging),
    target: ofSet,
    answers: { 200: documented('The parameters') },
    async handle({ target: { org, record }, query, x }, { governance }) {
      const page = paged(await governance.parameters.list(org, record.id), query, x)
      const items = page.items.map((one) => viewParameter(one, record.id))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    method: 'POST',
    path,
    id: 'tfcCreatePolicySetParameter',
    action: 'policy:manage',
    tags,
    summary: 'Create a parameter of a policy set',
    params: SetParams,
    body: resource('vars', { attributes: { ...attributes, key } }),
    target: ofSet,
    answers: { 201: documented('The parameter') },
    async handle({ target: { org, record }, body: { attributes: given }, caller }, { governance }) {
      const fields = { key: given.key, ...changeOf(given) }
      const made = await governance.parameters.create(org, record.id, fields, caller)
      return { status: 201, ...document(viewParameter(made, record.id)) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{parameter}`,
    id: 'tfcShowPolicySetParameter',
    action: 'policy:read',
    tags,
    summary: 'Show a parameter of a policy set',
    params,
    target: ofSet,
    answers: { 200: documented('The parameter') },
    async handle({ target: { org, record }, params: { parameter } }, { governance }) {
      const found = await governance.parameters.get(org, record.id, parameter)
      return { status: 200, ...document(viewParameter(found, record.id)) }
    },
  }),
  route({
    method: 'PATCH',
    path: `${path}/{parameter}`,
    id: 'tfcUpdatePolicySetParameter',
    action: 'policy:manage',
    tags,
    summary: 'Change a parameter of a policy set',
    params,
    body: resource('vars', { attributes: { ...attributes, key: key.nullish() } }),
    target: ofSet,
    answers: { 200: documented('The parameter') },
    async handle({ target: { org, record }, params: { parameter }, body, caller }, { governance }) {
      const { attributes: given } = body
      const change = { key: given.key ?? undefined, ...changeOf(given) }
      const found = await governance.parameters.update(org, record.id, parameter, change, caller)
      return { status: 200, ...document(viewParameter(found, record.id)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{parameter}`,
    id: 'tfcDeletePolicySetParameter',
    action: 'policy:manage',
    tags,
    summary: 'Delete a parameter of a policy set',
    params,
    target: ofSet,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, params: { parameter }, caller }, { governance }) {
      await governance.parameters.remove(org, record.id, parameter, caller)
      return { status: 204 }
    },
  }),
]
