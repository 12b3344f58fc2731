import { z } from 'zod'
import { type Caller, authorOf } from '../../../../../access/index.ts'
import { isoTime } from '../../../../../base/clock.ts'
import { TacoError, isTacoError } from '../../../../../base/errors.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { type PageStatus, htmlReply } from '../../shell/render.ts'
import { type UnitPage, openUnit } from '../frame.tsx'
import { workOn } from '../overview/work.tsx'
import { LockPage, type LockPageProps } from './lock-page.tsx'
import { PAGE_LOCK, isOwnLock } from './own-lock.ts'

const params = UnitParams.shape

export const lockRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/lock',
    params,
    id: 'showUnitLock',
    action: 'unit:read',
    summary: 'Who holds the lock of a unit, and forms to lock and unlock it',
    async handle(request, services) {
      const page = await openUnit(request, services)
      return lockPage(page, request.caller, services)
    },
  }),
  orgForm({
    path: '/units/{unit}/lock',
    params,
    id: 'lockUnitOnPage',
    action: 'lock',
    summary: 'Lock a unit',
    fields: { reason: z.string().default('') },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const page = await openUnit(request, services)
      const { control, clock, ids, about, cookies } = services
      const again = (status: PageStatus, more: Partial<LockPageProps>) =>
        lockPage(page, caller, services, { input: body, ...more }, status)
      if (body.reason.length > MOST_LETTERS)
        return again(400, { faults: { reason: `Use at most ${MOST_LETTERS} characters.` } })
      const { by, who } = authorOf(caller)
      const info = {
        ID: ids.id(PAGE_LOCK),
        Operation: 'locked on a page',
        Info: body.reason,
        Who: who ?? by,
        Version: about.version,
        Created: isoTime(clock.now()),
        Path: page.unit.name,
      }
      try {
        await control.locks.lock(page.ref, info, body.reason === '' ? {} : { reason: body.reason }, caller)
      } catch (error) {
        if (!isTacoError(error, 'LOCKED')) throw error
        return again(409, { notice: 'The unit is locked already. Nothing was changed.' })
      }
      setFlash(x, cookies, { kind: 'ok', text: 'Locked. No engine can write the state.' })
      return seeOther(unitPath(view.org.base, page.unit.name))
    },
  }),
  orgForm({
    path: '/units/{unit}/unlock',
    params,
    id: 'unlockUnitOnPage',
    action: 'lock',
    summary: 'Unlock a unit; a lock of others only with the right to',
    fields: { id: z.string().min(1), confirm: z.string().default('') },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const page = await openUnit(request, services)
      const { ref, unit } = page
      const { control, cookies } = services
      const again = (status: PageStatus, more: Partial<LockPageProps>) =>
        lockPage(page, caller, services, { input: body, ...more }, status)
      const lock = await control.locks.get(ref, caller)
      if (lock === null) return again(409, { notice: 'The unit is not locked any more.' })
      const isOwn = isOwnLock(lock, caller)
      if (!isOwn && !view.may('unlock-others', unit))
        throw new TacoError('FORBIDDEN', 'You have no permission to break the locks of others.', {
          facts: { action: 'unlock-others' },
          hint: 'Ask an administrator of the organization.',
        })
      try {
        if (!isOwn) checkConfirmed(body.confirm, unit.name)
        if (isOwn) await control.locks.unlock(ref, body.id, caller)
        else await control.locks.forceUnlock(ref, { id: body.id }, caller)
      } catch (error) {
        if (isTacoError(error, 'LOCK_MISMATCH')) return again(409, { notice: OVERTAKEN })
        return again(400, { faults: faultsAt(error, ['confirm']) })
      }
      setFlash(x, cookies, { kind: 'ok', text: 'Unlocked.' })
      return seeOther(unitPath(view.org.base, unit.name))
    },
  }),
]

const MOST_LETTERS = 1000

const OVERTAKEN = 'The lock that you saw is gone, and another one is held now. Nothing was unlocked.'

/** As it is now: the page may be shown again because the lock changed. */
async function lockPage(
  page: UnitPage,
  caller: Caller,
  services: WebServices,
  more: Partial<LockPageProps> = {},
  status: PageStatus = 200,
) {
  const lock = await services.control.locks.get(page.ref, caller)
  const work = lock === null ? undefined : await workOn(page, services, caller)
  return htmlReply(
    <LockPage
      page={page}
      lock={lock}
      isOwn={lock !== null && isOwnLock(lock, caller)}
      rollout={work?.isRunning === true ? work.rollout : undefined}
      now={services.clock.now()}
      {...more}
    />,
    status,
  )
}
