import { z } from 'zod'
import { declaredBytes } from '../../kit/request/receive.ts'
import { send } from '../../kit/response/respond.ts'
import { ignoredBody } from '../kit/body.ts'
import { type TfcServices, documented, rawRoute, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { signedUploads, uploaded } from '../kit/signed-uploads.ts'
import { SetParams, ofSet, tags } from './target.ts'
import { viewVersion } from './views.ts'

const params = z.object({ version: z.string() })
const uploads = signedUploads('policy-set-versions', z.object({ org: z.string(), version: z.string() }))

async function ofVersion(
  { params: { version } }: { readonly params: z.infer<typeof params> },
  { governance }: Pick<TfcServices, 'governance'>,
) {
  const found = await governance.policySets.locateVersion(version)
  if (found === undefined) throw notFound()
  return found
}

export const policySetVersionRoutes = [
  route({
    method: 'POST',
    path: '/api/v2/policy-sets/{set}/versions',
    id: 'tfcCreatePolicySetVersion',
    action: 'policy:manage',
    tags,
    summary: 'Create a version of a policy set, and get the address for its upload',
    params: SetParams,
    body: ignoredBody,
    target: ofSet,
    isSecret: true,
    answers: { 201: documented('The version') },
    async handle({ target: { org, record }, x, caller }, services) {
      const version = await services.governance.policySets.createVersion(org, record.id, caller)
      const url = uploads.url(x, services, { org, version: version.id })
      return { status: 201, ...document(viewVersion(record, version, url)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/policy-set-versions/{version}',
    id: 'tfcShowPolicySetVersion',
    action: 'policy:read',
    tags,
    summary: 'Show a version of a policy set',
    params,
    target: ofVersion,
    isSecret: true,
    answers: { 200: documented('The version') },
    handle({ target: { org, set, version }, x }, services) {
      const mayUpload = x.sight === undefined || x.sight.may('policy:manage', undefined)
      const isWaiting = version.status === 'pending' && mayUpload
      const url = isWaiting ? uploads.url(x, services, { org, version: version.id }) : undefined
      return { status: 200, ...document(viewVersion(set, version, url)) }
    },
  }),
  rawRoute({
    method: 'PUT',
    path: uploads.path,
    id: 'tfcUploadPolicySetVersion',
    action: 'policy:manage',
    openness: 'everybody',
    hasSecretPath: true,
    tags,
    summary: 'Upload the archive of a policy set version',
    params: z.object({ signed: z.string() }),
    target: uploads.open,
    answers: { 200: { description: 'Uploaded' } },
    async handle({ target: { org, version }, x }, services) {
      const { policySets } = services.governance
      const options = { declaredBytes: declaredBytes(x) }
      await policySets.uploadVersion(org, version, uploaded(x, services), options, x.caller)
      send(x, 200, undefined, {}, services.limits)
    },
  }),
]
