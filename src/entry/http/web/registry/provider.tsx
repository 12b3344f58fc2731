import { z } from 'zod'
import { TacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { checkConfirmed, confirmId } from '../shell/confirm.tsx'
import { ExportFormat, exported } from '../shell/export.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { htmlReply } from '../shell/render.ts'
import { addressOf } from '../shell/server-address.ts'
import type { OrgView } from '../shell/view.ts'
import { providerPath, registryPath } from './frame.tsx'
import { PLATFORM_COLUMNS, ProviderPage, type ProviderShown } from './provider-page.tsx'
import { newestProvider } from './providers.tsx'

const path = '/registry/providers/{name}'
const params = { name: z.string() }

interface Asked {
  readonly params: { readonly org: string; readonly name: string }
  readonly view: OrgView
  readonly x: Exchange
}

async function openProvider(
  { params: { org, name }, view, x }: Asked,
  { registry: { providers, gpgKeys }, control, clock, publicUrl }: WebServices,
  { version: wanted, page, faults = {} }: { version?: string | undefined; page: number; faults?: Faults },
): Promise<ProviderShown> {
  const provider = await providers.get(org, { name })
  const [versions, keys] = await Promise.all([providers.versions(org, provider.id), gpgKeys.list(org)])
  const version =
    wanted === undefined
      ? (newestProvider(versions) ?? versions[0])
      : versions.find((one) => one.version === wanted)
  if (wanted !== undefined && version === undefined)
    throw new TacoError('NOT_FOUND', `The provider has no version ${wanted}.`)
  const at = { address: addressOf(x, publicUrl), org: control.orgNames.nameOf(org) }
  const signer = keys.find(({ keyId }) => keyId === version?.keyId)
  return { view, now: clock.now(), at, provider, versions, version, signer, page, faults }
}

export const providerRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showRegistryProvider',
    action: 'registry:read',
    summary: 'A provider of the registry',
    query: z.object({
      version: z.string().optional(),
      page: z.coerce.number().int().catch(1).default(1),
      format: ExportFormat.catch(undefined),
    }),
    async handle(request, services) {
      const { format, ...selection } = request.query
      const shown = await openProvider(request, services, selection)
      if (format !== undefined) {
        const rows = shown.versions.flatMap(({ version, platforms }) =>
          platforms.map((platform) => ({ ...platform, version })),
        )
        const columns = [
          { name: 'version', value: (row: (typeof rows)[0]) => row.version },
          ...PLATFORM_COLUMNS,
        ]
        return exported(format, 'platforms', columns, rows)
      }
      return htmlReply(<ProviderPage {...shown} />)
    },
  }),
  orgForm({
    path: `${path}/delete`,
    params,
    id: 'deleteProviderByForm',
    action: 'registry:publish',
    summary: 'Delete a provider and all its versions',
    fields: { confirm: z.string().default('') },
    async handle(request, services) {
      const { params: asked, body, view, x, caller } = request
      const { providers } = services.registry
      const { id, name } = await providers.get(asked.org, { name: asked.name })
      try {
        checkConfirmed(body.confirm, name, confirmId(name))
      } catch (error) {
        return refused(request, services, faultsAt(error, [confirmId(name)]))
      }
      await providers.remove(asked.org, id, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The provider ${name} was deleted.` })
      return seeOther(`${registryPath(view)}/providers`)
    },
  }),
  orgForm({
    path: `${path}/versions/{version}/delete`,
    params: { ...params, version: z.string() },
    id: 'deleteProviderVersionByForm',
    action: 'registry:publish',
    summary: 'Delete a version of a provider',
    fields: { confirm: z.string().default('') },
    async handle(request, services) {
      const { params: asked, body, view, x, caller } = request
      const { providers } = services.registry
      const { id } = await providers.get(asked.org, { name: asked.name })
      const { version } = await providers.version(asked.org, id, asked.version)
      try {
        checkConfirmed(body.confirm, version, confirmId(version))
      } catch (error) {
        return refused(request, services, faultsAt(error, [confirmId(version)]), version)
      }
      await providers.removeVersion(asked.org, id, version, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `Version ${version} was deleted.` })
      return seeOther(providerPath(view, asked))
    },
  }),
]

/** The page again, with what is wrong at the field. Its links lead to the page, not to the form. */
async function refused(request: Asked, services: WebServices, faults: Faults, version?: string) {
  const view = { ...request.view, path: providerPath(request.view, request.params) }
  const shown = await openProvider({ ...request, view }, services, { version, page: 1, faults })
  return htmlReply(<ProviderPage {...shown} />, 400)
}
