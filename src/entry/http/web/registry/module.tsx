import { z } from 'zod'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { withQuery } from '../shell/addresses.ts'
import { exported } from '../shell/export.ts'
import { checkConfirmed, confirmId } from '../shell/confirm.tsx'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { type ListAsked, ListQuery, arrange } from '../shell/list.tsx'
import { htmlReply } from '../shell/render.ts'
import { addressOf } from '../shell/server-address.ts'
import type { OrgView } from '../shell/view.ts'
import { beforeIn } from './deprecation.tsx'
import { modulePath, registryPath } from './frame.tsx'
import { ModulePage } from './module-page.tsx'
import { type ModuleShown, newestOf } from './module-shown.ts'
import { VERSION_EXPORTS, versionColumns } from './module-versions.tsx'
import { partLists } from './part-lists.tsx'

const path = '/registry/modules/{name}/{provider}'
const params = { name: z.string(), provider: z.string() }
const versionParams = { ...params, version: z.string() }
const Tab = z.enum(['readme', 'inputs', 'outputs', 'resources', 'dependencies', 'versions'])

interface Asked {
  readonly params: { readonly org: string; readonly name: string; readonly provider: string }
  readonly view: OrgView
  readonly x: Exchange
}

interface Selection {
  readonly version?: string | undefined
  readonly part?: string | undefined
  readonly tab: z.infer<typeof Tab>
  readonly asked?: ListAsked
  readonly faults?: Faults
  readonly input?: ModuleShown['input']
}

async function openModule(
  { params: { org, name, provider }, view, x }: Asked,
  { registry: { modules, noCode }, control, clock, publicUrl }: WebServices,
  { version: wanted, part: path = '', tab, asked = {}, faults = {}, input }: Selection,
): Promise<ModuleShown> {
  const module = await modules.get(org, { name, provider })
  const versions = await modules.versions(org, module.id)
  const version = wanted === undefined ? newestOf(versions) : versions.find((one) => one.version === wanted)
  if (wanted !== undefined && version === undefined)
    throw new TacoError('NOT_FOUND', `The module has no version ${wanted}.`)
  const metadata = version && (await modules.metadata(org, module.id, version))
  const parts = metadata && [metadata.root, ...metadata.submodules, ...metadata.examples]
  const part = parts?.find((one) => one.path === path)
  if (parts !== undefined && part === undefined)
    throw new TacoError('NOT_FOUND', `The version has no folder ${path} that can be shown.`)
  const at = { address: addressOf(x, publicUrl), org: control.orgNames.nameOf(org) }
  const withoutCode = (await noCode.list({ org })).find((one) => one.module === module.id)
  const found = { module, versions, version, metadata, part, withoutCode }
  return { view, now: clock.now(), at, ...found, tab, asked, faults, input }
}

export const moduleRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showModule',
    action: 'registry:read',
    summary: 'A module of the registry',
    query: z.object({
      version: z.string().optional(),
      part: z.string().optional(),
      tab: Tab.catch('readme').default('readme'),
      ...ListQuery.shape,
    }),
    async handle(request, services) {
      const { version, part, tab, format, ...asked } = request.query
      const shown = await openModule(request, services, { version, part, tab, asked })
      const list = shown.part && partLists(shown.part)[shown.tab]
      if (format !== undefined && list !== undefined) return list.exported(format, asked)
      if (format !== undefined) {
        const columns = versionColumns(shown)
        const { found } = arrange(shown.versions, columns, asked)
        return exported(format, 'versions', [...columns, ...VERSION_EXPORTS], found)
      }
      return htmlReply(<ModulePage {...shown} />)
    },
  }),
  orgForm({
    path: `${path}/delete`,
    params,
    id: 'deleteModuleByForm',
    action: 'registry:publish',
    summary: 'Delete a module and all its versions',
    fields: { confirm: z.string().default('') },
    async handle(request, services) {
      const { params: asked, body, view, x, caller } = request
      const { modules } = services.registry
      const title = `${asked.name}/${asked.provider}`
      const { id } = await modules.get(asked.org, { name: asked.name, provider: asked.provider })
      try {
        checkConfirmed(body.confirm, title, confirmId(title))
      } catch (error) {
        return refused(request, services, faultsAt(error, [confirmId(title)]))
      }
      await modules.remove(asked.org, id, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The module ${title} was deleted.` })
      return seeOther(registryPath(view))
    },
  }),
  orgForm({
    path: `${path}/versions/{version}/delete`,
    params: versionParams,
    id: 'deleteModuleVersionByForm',
    action: 'registry:publish',
    summary: 'Delete a version of a module',
    fields: { confirm: z.string().default('') },
    async handle(request, services) {
      const { params: asked, body, view, x, caller } = request
      const { modules } = services.registry
      const { id } = await modules.get(asked.org, { name: asked.name, provider: asked.provider })
      const { version } = await modules.version(asked.org, id, asked.version)
      try {
        checkConfirmed(body.confirm, version, confirmId(version))
      } catch (error) {
        return refused(request, services, faultsAt(error, [confirmId(version)]))
      }
      await modules.removeVersion(asked.org, id, version, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `Version ${version} was deleted.` })
      return seeOther(withQuery(modulePath(view, asked), { tab: 'versions' }))
    },
  }),
  orgForm({
    path: `${path}/versions/{version}/deprecation`,
    params: versionParams,
    id: 'deprecateModuleVersionByForm',
    action: 'registry:publish',
    summary: 'Deprecate a version of a module, or take that back',
    fields: {
      reason: z.string().default(''),
      link: z.string().default(''),
      end: z.string().optional(),
      /** What the page said when it was shown. */
      before: z.string().default(''),
    },
    async handle(request, services) {
      const { params: asked, body, view, x, caller } = request
      const { modules } = services.registry
      const { id } = await modules.get(asked.org, { name: asked.name, provider: asked.provider })
      const at = { module: id, version: asked.version }
      const isEnd = body.end !== undefined
      // Browsers send line breaks with CRLF.
      const before = beforeIn(body.before.replaceAll('\r\n', '\n'))
      try {
        await modules.deprecate(asked.org, at, isEnd ? null : body, caller, before)
      } catch (error) {
        const selection = { tab: 'readme' as const, version: asked.version, input: isEnd ? undefined : body }
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return refused(request, services, { race: RACE }, selection, 409)
        return refused(request, services, faultsAt(error, ['reason', 'link']), selection)
      }
      const done = isEnd ? 'is not deprecated any more' : 'is deprecated now'
      setFlash(x, services.cookies, { kind: 'ok', text: `Version ${asked.version} ${done}.` })
      return seeOther(withQuery(modulePath(view, asked), { version: asked.version }))
    },
  }),
]

const RACE = 'Someone changed the deprecation while you looked at this page. Nothing was saved.'

/** The page again, with what is wrong at the field. Its links lead to the page, not to the form. */
async function refused(
  request: Asked,
  services: WebServices,
  faults: Faults,
  { tab, version, input }: Omit<Selection, 'asked' | 'part'> = { tab: 'versions' },
  status: 400 | 409 = 400,
) {
  const back = withQuery(modulePath(request.view, request.params), {
    tab: tab === 'readme' ? undefined : tab,
    version,
  })
  const view = { ...request.view, path: back }
  const selection = { tab, version, faults, input }
  return htmlReply(<ModulePage {...await openModule({ ...request, view }, services, selection)} />, status)
}
