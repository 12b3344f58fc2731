import { z } from 'zod'
import { type Caller, saySubject } from '../../../../../access/index.ts'
import { badRequest, isTacoError } from '../../../../../base/errors.ts'
import { breakGuard } from '../../../kit/access/break-glass.ts'
import { endGuard, setGuard } from '../../../kit/access/guards.ts'
import { giveRole, takeRole } from '../../../kit/grants.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { exported } from '../../shell/export.ts'
import { faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { ListQuery, arrange } from '../../shell/list.tsx'
import { htmlReply } from '../../shell/render.ts'
import { type UnitPage, openUnit } from '../frame.tsx'
import { type AccessAgain, AccessPage } from './access-page.tsx'
import { gatherAccess } from './gather.ts'
import { grantColumns } from './grants-card.tsx'

const path = '/units/{unit}/access'
const params = UnitParams.shape
const text = z.string().trim().default('')
const Query = ListQuery.extend({ who: text.catch('') })

const pathOf = ({ view, unit }: UnitPage) => unitPath(view.org.base, unit.name, 'access')

async function accessPage(
  page: UnitPage,
  services: WebServices,
  caller: Caller,
  query: Partial<z.output<typeof Query>>,
  again?: AccessAgain,
) {
  const { who = '', format } = query
  const access = await gatherAccess(page, services, who, caller)
  const at = pathOf(page)
  const columns = grantColumns(page.view, at)
  const list = access.grants && arrange(access.grants, columns, query)
  if (format !== undefined) return exported(format, 'access', columns, list?.found ?? [])
  const props = { page, path: at, access, list, who, now: services.clock.now(), again }
  const isWrong = again !== undefined || Object.keys(access.faults).length > 0
  return htmlReply(<AccessPage {...props} />, isWrong ? 400 : 200)
}

/** Roles and guards are changed with a right on the organization, as in the API. */
const ofRoles = { action: 'role:manage', onOrganization: ['role:manage'] } as const
const ofGuards = { action: 'guard:set', onOrganization: ['guard:set'] } as const

export const accessRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showUnitAccess',
    action: 'unit:read',
    summary: 'Who may do what with a unit, and why',
    query: Query,
    handle: async (request, services) =>
      accessPage(await openUnit(request, services), services, request.caller, request.query),
  }),
  orgForm({
    path: `${path}/grant`,
    params,
    id: 'grantRoleOnUnit',
    ...ofRoles,
    summary: 'Give a role on a unit',
    fields: { to: text, role: text },
    async handle(request, services) {
      const {
        body,
        caller,
        params: { org },
        x,
      } = request
      const page = await openUnit(request, services)
      try {
        // By its id: it stays with the unit, and a new unit of the same name does not get it.
        const grant = { ...body, units: [page.unit.id] }
        const { binding, policy } = await giveRole(services, org, grant, caller)
        const to = await saySubject(binding.to, { policy, people: services.signIn?.people })
        setFlash(x, services.cookies, { kind: 'ok', text: `${to} has the role ${body.role} on this unit.` })
      } catch (error) {
        const faults = faultsAt(error, ['to', 'role'], 'NOT_FOUND')
        return accessPage(page, services, caller, {}, { form: 'grant', input: body, faults })
      }
      return seeOther(pathOf(page))
    },
  }),
  orgForm({
    path: `${path}/revoke`,
    params,
    id: 'revokeRoleOnUnit',
    ...ofRoles,
    summary: 'Take away a role that was given on a unit',
    fields: { to: text, role: text },
    async handle(request, services) {
      const {
        body,
        caller,
        params: { org },
        x,
      } = request
      const page = await openUnit(request, services)
      const { id, name } = page.unit
      let isRevoked = false
      for (const unit of [id, name])
        try {
          await takeRole(services, org, { ...body, units: [unit], isExact: true }, caller)
          isRevoked = true
        } catch (error) {
          if (!isTacoError(error, 'NOT_FOUND')) throw error
        }
      const policy = await services.orgAccess.get(org, caller)
      const to = await saySubject(body.to, { policy, people: services.signIn?.people })
      setFlash(
        x,
        services.cookies,
        isRevoked
          ? { kind: 'ok', text: `${to} does not have the role ${body.role} on this unit any more.` }
          : { kind: 'warn', text: 'Someone else revoked it first.' },
      )
      return seeOther(pathOf(page))
    },
  }),
  orgForm({
    path: `${path}/guard`,
    params,
    id: 'guardUnitByForm',
    ...ofGuards,
    summary: 'Guard a unit, so that only runs may change its state',
    fields: { reason: text },
    async handle(request, services) {
      const {
        body: { reason },
        caller,
        params: { org },
        x,
      } = request
      const page = await openUnit(request, services)
      try {
        checkReason(reason)
        const guard = { units: [page.unit.id], ...(reason === '' ? {} : { reason }) }
        await setGuard(services, org, guard, caller)
        setFlash(x, services.cookies, { kind: 'ok', text: 'Guarded. Only runs may change its state.' })
      } catch (error) {
        if (!isTacoError(error, 'ALREADY_EXISTS')) {
          const faults = { 'guard-reason': faultsAt(error, ['reason'])['reason'] ?? '' }
          const input = { reason, minutes: '' }
          return accessPage(page, services, caller, {}, { form: 'guard', input, faults })
        }
        setFlash(x, services.cookies, { kind: 'warn', text: 'Someone else guarded it first.' })
      }
      return seeOther(pathOf(page))
    },
  }),
  orgForm({
    path: `${path}/unguard`,
    params,
    id: 'endGuardOfUnit',
    ...ofGuards,
    summary: 'End the guard of a unit',
    fields: { guard: text },
    async handle(request, services) {
      const {
        body: { guard },
        caller,
        params: { org },
        x,
      } = request
      const page = await openUnit(request, services)
      try {
        await endGuard(services, org, guard, caller)
        setFlash(x, services.cookies, { kind: 'ok', text: 'The guard of this unit was ended.' })
      } catch (error) {
        if (!isTacoError(error, 'NOT_FOUND')) throw error
        setFlash(x, services.cookies, { kind: 'warn', text: 'Someone else ended it first.' })
      }
      return seeOther(pathOf(page))
    },
  }),
  orgForm({
    path: `${path}/break`,
    params,
    id: 'breakGlassByForm',
    action: 'state:break-glass',
    summary: 'Write the state of a guarded unit without a run, for a while',
    fields: { reason: text, minutes: z.enum(['15', '60', '240', '480']).catch('60') },
    async handle(request, services) {
      const {
        body: { reason, minutes },
        caller,
        x,
      } = request
      const page = await openUnit(request, services)
      try {
        checkReason(reason, 'Say why: it is recorded.')
        const broken = await breakGuard(
          services,
          page.ref,
          { reason, forMs: Number(minutes) * 60_000 },
          caller,
        )
        const until = new Date(broken.until).toISOString().slice(0, 16).replace('T', ' ')
        setFlash(x, services.cookies, { kind: 'warn', text: `You may write its state until ${until} UTC.` })
      } catch (error) {
        const faults = { 'break-reason': faultsAt(error, ['reason'])['reason'] ?? '' }
        return accessPage(page, services, caller, {}, { form: 'break', input: { reason, minutes }, faults })
      }
      return seeOther(pathOf(page))
    },
  }),
]

/** As long as in the API. `required`: what to say if there is none. */
function checkReason(reason: string, required?: string): void {
  if (reason === '' && required !== undefined) throw badRequest('reason', required)
  if (reason.length > 500) throw badRequest('reason', 'The reason is longer than 500 characters.')
}
