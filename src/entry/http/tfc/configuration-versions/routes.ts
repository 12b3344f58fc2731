import { z } from 'zod'
import type { UnitPlace } from '../../../../configurations/index.ts'
import type { UnitView } from '../../../../state/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { declaredBytes } from '../../kit/request/receive.ts'
import { send } from '../../kit/response/respond.ts'
import { partsOf } from '../ids.ts'
import { ignoredBody, resource } from '../kit/body.ts'
import { type TfcServices, WorkspaceParams, documented, ofWorkspace, rawRoute, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { sendContent } from '../kit/send-content.ts'
import { signedUploads, uploaded } from '../kit/signed-uploads.ts'
import { viewConfigurationVersion } from './view.ts'

const tags = ['terraform cloud']

const Params = z.object({ version: z.string() })
const Signed = z.object({ org: z.string(), unit: z.string(), own: z.string() })
type Target = z.infer<typeof Signed>
const uploads = signedUploads('configuration-versions', Signed)

async function ofVersion(
  { params }: { readonly params: z.infer<typeof Params> },
  { locator }: Pick<TfcServices, 'locator'>,
): Promise<Target> {
  const parts = partsOf('cv', params.version)
  if (parts === undefined) throw notFound()
  return { ...(await locator.workspace(parts.unit)), own: `cv-${parts.own}` }
}

interface UnitOf {
  readonly place: UnitPlace
  readonly unit: UnitView
}

/** What was deleted has no configuration versions any more. */
async function unitOf(
  { org, unit: id }: { readonly org: string; readonly unit: string },
  x: Exchange,
  { control }: Pick<TfcServices, 'control'>,
): Promise<UnitOf> {
  const unit = await control.units.get({ org, unit: id }, x.caller)
  if (unit.deleted !== null) throw notFound()
  return { unit, place: { org, of: unit.id, unit: { id: unit.id, name: unit.name } } }
}

function uploadUrl(x: Exchange, services: TfcServices, { unit, place }: UnitOf, own: string): string {
  return uploads.url(x, services, { org: place.org, unit: unit.id, own })
}

export const configurationVersionRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/configuration-versions',
    id: 'tfcListConfigurationVersions',
    action: 'unit:read',
    tags,
    summary: 'The configuration versions of a workspace, newest first',
    params: WorkspaceParams,
    query: z.object(paging),
    target: ofWorkspace,
    answers: { 200: documented('Configuration versions') },
    async handle({ target, query, x }, services) {
      const { place, unit } = await unitOf(target, x, services)
      const all = (await services.configurations.list(place)).toReversed()
      const page = paged(all, query, x)
      const items = page.items.map((version) => viewConfigurationVersion(unit.id, version))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/workspaces/{workspace}/configuration-versions',
    id: 'tfcCreateConfigurationVersion',
    action: 'run:plan',
    tags,
    summary: 'Create a configuration version, and get the address for its upload',
    params: WorkspaceParams,
    body: resource('configuration-versions', {
      attributes: {
        'auto-queue-runs': z.boolean().nullish(),
        speculative: z.boolean().nullish(),
        provisional: z.boolean().nullish(),
      },
    }),
    target: ofWorkspace,
    // The address is a permission.
    isSecret: true,
    answers: { 201: documented('The configuration version') },
    async handle({ target, body, x, caller }, services) {
      const found = await unitOf(target, x, services)
      const { speculative, provisional, ...given } = body.attributes
      const options = {
        autoQueueRuns: given['auto-queue-runs'] ?? true,
        speculative: speculative ?? false,
        provisional: provisional ?? false,
      }
      const made = await services.configurations.create(found.place, options, caller)
      const url = uploadUrl(x, services, found, made.id)
      return { status: 201, ...document(viewConfigurationVersion(found.unit.id, made, url)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/configuration-versions/{version}',
    id: 'tfcShowConfigurationVersion',
    action: 'unit:read',
    tags,
    summary: 'Read a configuration version',
    params: Params,
    target: ofVersion,
    isSecret: true,
    answers: { 200: documented('The configuration version') },
    async handle({ target, x }, services) {
      const found = await unitOf(target, x, services)
      const version = await services.configurations.get(found.place, target.own)
      const mayUpload = x.sight === undefined || x.sight.may('run:plan', found.unit)
      const url =
        version.status === 'pending' && mayUpload ? uploadUrl(x, services, found, version.id) : undefined
      return { status: 200, ...document(viewConfigurationVersion(found.unit.id, version, url)) }
    },
  }),
  rawRoute({
    method: 'PUT',
    path: uploads.path,
    id: 'tfcUploadConfigurationVersion',
    action: 'run:plan',
    openness: 'everybody',
    hasSecretPath: true,
    tags,
    summary: 'Upload the archive of a configuration version',
    params: z.object({ signed: z.string() }),
    target: uploads.open,
    answers: { 200: { description: 'Uploaded' } },
    async handle({ target, x }, services) {
      const { place } = await unitOf(target, x, services)
      const { createdBy } = await services.configurations.get(place, target.own)
      // Only the creator was given this address; nothing else says who is calling.
      const caller = { ...x.caller, claim: x.claim ?? createdBy }
      const stream = uploaded(x, services)
      const options = { declaredBytes: declaredBytes(x) }
      await services.configurations.upload(place, target.own, stream, options, caller)
      send(x, 200, undefined, {}, services.limits)
    },
  }),
  rawRoute({
    method: 'GET',
    path: '/api/v2/configuration-versions/{version}/download',
    id: 'tfcDownloadConfigurationVersion',
    // An archive may hold values of variables and local states.
    action: 'state:read',
    tags,
    summary: 'The archive of a configuration version',
    params: Params,
    target: ofVersion,
    answers: { 200: { description: 'A tar archive, compressed with gzip' } },
    async handle({ target, x }, services) {
      const { place } = await unitOf(target, x, services)
      await sendContent(x, await services.configurations.download(place, target.own), 'application/gzip')
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/configuration-versions/{version}/actions/archive',
    id: 'tfcArchiveConfigurationVersion',
    action: 'unit:update',
    tags,
    summary: 'Remove the archive of a configuration version',
    params: Params,
    body: ignoredBody,
    target: ofVersion,
    answers: { 202: documented('Accepted') },
    async handle({ target, x, caller }, services) {
      const { place, unit } = await unitOf(target, x, services)
      const version = await services.configurations.archive(place, target.own, caller)
      return { status: 202, ...document(viewConfigurationVersion(unit.id, version)) }
    },
  }),
]
