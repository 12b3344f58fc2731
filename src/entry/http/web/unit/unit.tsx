import { z } from 'zod'
import { authorOf } from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgForm, orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { setFlash } from '../shell/flash.ts'
import { htmlReply } from '../shell/render.ts'
import { addressOf } from '../shell/server-address.ts'
import { activityRoutes } from './activity.tsx'
import { diffRoutes } from './diff.tsx'
import { openUnit } from './frame.tsx'
import { historyRoutes } from './history.tsx'
import { PAGE_LOCK, isOwnLock } from './lock.tsx'
import { outputRoutes } from './outputs.tsx'
import { OverviewPage, gatherOverview } from './overview.tsx'
import { resourceRoutes } from './resources.tsx'
import { rollbackRoutes } from './rollback.tsx'
import { settingRoutes } from './settings/settings.tsx'
import { variableRoutes } from './variables/variables.tsx'

const params = UnitParams.shape

const overviewRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}',
    params,
    id: 'showUnit',
    action: 'unit:read',
    summary: 'A unit',
    async handle(request, services) {
      const { caller, x } = request
      const page = await openUnit(request, services)
      const overview = await gatherOverview(page, services, caller)
      const address = addressOf(x, services.publicUrl)
      const now = services.clock.now()
      return htmlReply(
        <OverviewPage page={page} overview={overview} caller={caller} address={address} now={now} />,
      )
    },
  }),
  orgForm({
    path: '/units/{unit}/lock',
    params,
    id: 'lockUnitOnPage',
    action: 'lock',
    summary: 'Lock a unit',
    fields: { reason: z.string().max(1000).default('') },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const { ref, unit } = await openUnit(request, services)
      const { control, clock, ids, about, cookies } = services
      const { by, who } = authorOf(caller)
      const info = {
        ID: ids.id(PAGE_LOCK),
        Operation: 'locked on a page',
        Info: body.reason,
        Who: who ?? by,
        Version: about.version,
        Created: isoTime(clock.now()),
        Path: unit.name,
      }
      try {
        await control.locks.lock(ref, info, body.reason === '' ? {} : { reason: body.reason }, caller)
        setFlash(x, cookies, { kind: 'ok', text: 'Locked. No engine can write its state.' })
      } catch (error) {
        if (!isTacoError(error, 'LOCKED')) throw error
        setFlash(x, cookies, { kind: 'fail', text: 'Someone else has locked it meanwhile.' })
      }
      return seeOther(unitPath(view.org.base, unit.name))
    },
  }),
  orgForm({
    path: '/units/{unit}/unlock',
    params,
    id: 'unlockUnitOnPage',
    action: 'lock',
    summary: 'Unlock a unit; a lock of others only with the right to',
    fields: { id: z.string().min(1), confirm: z.literal('yes') },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const { ref, unit } = await openUnit(request, services)
      const { control, cookies } = services
      const isOwn = unit.lock !== null && isOwnLock(unit.lock, caller)
      if (!isOwn && !view.may('unlock-others', unit))
        throw new TacoError('FORBIDDEN', 'You have no permission to break the locks of others.', {
          facts: { action: 'unlock-others' },
          hint: 'Ask an administrator of the organization.',
        })
      try {
        if (isOwn) await control.locks.unlock(ref, body.id, caller)
        else await control.locks.forceUnlock(ref, { id: body.id }, caller)
        setFlash(x, cookies, { kind: 'ok', text: 'Unlocked.' })
      } catch (error) {
        if (!isTacoError(error, 'LOCK_MISMATCH')) throw error
        const text = 'Another lock has taken the place of the one that you saw. Nothing was unlocked.'
        setFlash(x, cookies, { kind: 'fail', text })
      }
      return seeOther(unitPath(view.org.base, unit.name))
    },
  }),
]

/** The pages of a unit: its overview, and a tab for each thing that it has. */
export const unitRoutes: readonly Route[] = [
  ...overviewRoutes,
  ...outputRoutes,
  ...resourceRoutes,
  ...historyRoutes,
  ...diffRoutes,
  ...rollbackRoutes,
  ...variableRoutes,
  ...activityRoutes,
  ...settingRoutes,
]
