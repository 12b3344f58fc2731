import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import type { OrgView as Organization } from '../../../../state/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { checkConfirmed } from '../shell/confirm.tsx'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { htmlReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { settingsPath } from './frame.tsx'
import { GeneralPage, type Race } from './general-page.tsx'
import { type LimitsInput, limitsFields, limitsIn, limitsInputOf } from './limits-form.ts'

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

interface Shown {
  readonly name?: string
  readonly limits?: LimitsInput
  /** Of the organization that the person began to change. Undefined: as it is now. */
  readonly etag?: string
  readonly faults?: Faults
  /** What was overtaken by another change. */
  readonly race?: Race
  readonly isLocked?: boolean
}

async function generalPage({ org, view, x }: Request, services: WebServices, shown: Shown = {}) {
  const now: Organization = await services.control.orgs.get(org, x.caller)
  const { name = now.name, limits = limitsInputOf(now.limits), faults = {}, race, isLocked = false } = shown
  const { etag = now.etag } = shown
  const props = { view, now, etag, name, limits, faults, race, isLocked }
  const status = race !== undefined ? 409 : Object.keys(faults).length > 0 ? 400 : 200
  return htmlReply(<GeneralPage {...props} />, status)
}

/** Of the organization when the page was shown. */
const etag = z.string().default('')

export const generalRoutes: readonly Route[] = [
  orgPage({
    path: '/settings',
    id: 'showOrganizationSettings',
    action: 'org:read',
    summary: 'The name and the limits of an organization',
    handle: ({ params: { org }, view, x }, services) => generalPage({ org, view, x }, services),
  }),
  orgForm({
    path: '/settings/name',
    id: 'renameOrganizationByForm',
    action: 'org:admin',
    summary: 'Rename an organization',
    fields: { name: z.string().trim().default(''), etag },
    async handle({ params: { org }, body, view, x, caller }, services) {
      try {
        const { name } = await services.control.orgs.rename(org, body.name, caller, [body.etag])
        setFlash(x, services.cookies, { kind: 'ok', text: `The organization is called ${name} now.` })
        return seeOther(`/app/${encodeURIComponent(name)}/settings`)
      } catch (error) {
        const { name } = body
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return generalPage({ org, view, x }, services, { name, race: 'name' })
        const faults = faultsAt(error, ['name'], 'ALREADY_EXISTS')
        return generalPage({ org, view, x }, services, { name, etag: body.etag, faults })
      }
    },
  }),
  orgForm({
    path: '/settings/limits',
    id: 'changeOrganizationLimits',
    action: 'org:admin',
    summary: 'Change the limits of an organization',
    fields: { ...limitsFields, etag },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { etag: expected, ...limits } = body
      try {
        await services.control.orgs.update(org, { limits: limitsIn(limits) }, caller, [expected])
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return generalPage({ org, view, x }, services, { limits, race: 'limits' })
        const faults = faultsAt(error, ['units', 'versions', 'bytes'])
        return generalPage({ org, view, x }, services, { limits, etag: expected, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'The limits were saved.' })
      return seeOther(settingsPath(view))
    },
  }),
  orgForm({
    path: '/settings/delete',
    id: 'deleteOrganizationByForm',
    action: 'org:delete',
    summary: 'Delete an organization; it can be restored',
    fields: { confirm: z.string().trim().default(''), force: z.literal('on').optional(), etag },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const request = { org, view, x }
      const { name } = await services.control.orgs.get(org, caller)
      try {
        checkConfirmed(body.confirm, name)
        await services.control.orgs.remove(org, { force: body.force === 'on' }, caller, [body.etag])
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return generalPage(request, services, { race: 'delete' })
        // Without their names: not everyone who may delete the organization sees every unit.
        if (isTacoError(error, 'LOCKED'))
          return generalPage(request, services, { isLocked: true, faults: { confirm: LOCKED } })
        return generalPage(request, services, { faults: faultsAt(error, ['confirm']) })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `The organization ${name} was deleted.` })
      return seeOther('/app')
    },
  }),
  orgForm({
    path: '/settings/restore',
    id: 'restoreOrganizationByForm',
    action: 'org:delete',
    summary: 'Restore a deleted organization',
    fields: {},
    async handle({ params: { org }, view, x, caller }, services) {
      const { name } = await services.control.orgs.restore(org, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The organization ${name} was restored.` })
      return seeOther(view.org.base)
    },
  }),
]

const LOCKED = 'Units are locked. Wait until they are unlocked, or tick the box.'
