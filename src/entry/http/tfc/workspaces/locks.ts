import { z } from 'zod'
import { TacoError } from '../../../../base/errors.ts'
import { ignoredBody } from '../kit/body.ts'
import { WorkspaceParams, documented, ofWorkspace, route } from '../kit/define.ts'
import { conflict } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { isOwnLock, lockedByOther, newLock } from './own-lock.ts'
import { may } from './rights.ts'
import { viewWorkspace, viewerOf } from './view.ts'
import { liveUnit } from './live-unit.ts'

/** Some clients leave the type empty, others send the reason alone. */
const Reason = z
  .object({
    reason: z.string().optional(),
    data: z.object({ attributes: z.object({ reason: z.string().optional() }).optional() }).optional(),
  })
  .transform(({ reason, data }) => (reason ?? data?.attributes?.reason ?? '').slice(0, 1_000))

const action = {
  method: 'POST',
  action: 'lock',
  takesRunTokens: true,
  tags: ['terraform cloud'],
  params: WorkspaceParams,
  target: ofWorkspace,
  answers: { 200: documented('The workspace') },
} as const

export const workspaceLockRoutes = [
  route({
    ...action,
    path: '/api/v2/workspaces/{workspace}/actions/lock',
    id: 'tfcLockWorkspace',
    summary: 'Lock a workspace',
    body: { schema: Reason, isRequired: false, isAnyType: true, limit: 'maxLockInfoBytes' },
    async handle({ target, body: reason = '', headers, caller }, services) {
      const { control } = services
      const version = headers['terraform-version']?.toString().slice(0, 100) ?? ''
      const info = newLock(services, { reason, path: target.unit, version }, caller)
      await control.locks.lock(target, info, reason === '' ? {} : { reason }, caller)
      const unit = await liveUnit(control, target, caller)
      return { status: 200, ...document(viewWorkspace(unit, await viewerOf(services, target.org, caller))) }
    },
  }),
  route({
    ...action,
    path: '/api/v2/workspaces/{workspace}/actions/unlock',
    id: 'tfcUnlockWorkspace',
    summary: 'Unlock a workspace that the caller locked',
    body: ignoredBody,
    async handle({ target, caller }, services) {
      const { control } = services
      const lock = await control.locks.get(target, caller)
      if (lock === null) throw conflict('The workspace is already unlocked, or locked by nobody.')
      if (!isOwnLock(lock, caller)) throw lockedByOther(lock)
      await control.locks.unlock(target, lock.id, caller)
      const unit = await liveUnit(control, target, caller)
      return { status: 200, ...document(viewWorkspace(unit, await viewerOf(services, target.org, caller))) }
    },
  }),
  route({
    ...action,
    path: '/api/v2/workspaces/{workspace}/actions/force-unlock',
    id: 'tfcForceUnlockWorkspace',
    summary: 'Break the lock of a workspace; one that others hold only with the right to',
    body: ignoredBody,
    async handle({ target, caller }, services) {
      const { control } = services
      const [before, lock] = await Promise.all([
        liveUnit(control, target, caller),
        control.locks.get(target, caller),
      ])
      if (lock === null) throw conflict('The workspace is already unlocked.')
      if (!isOwnLock(lock, caller) && !may(caller, 'unlock-others', before))
        throw new TacoError('FORBIDDEN', 'You have no permission to break the locks of others.', {
          facts: { action: 'unlock-others' },
          hint: 'Ask an administrator of the organization.',
        })
      await control.locks.forceUnlock(target, { id: lock.id }, caller)
      const unit = await liveUnit(control, target, caller)
      return { status: 200, ...document(viewWorkspace(unit, await viewerOf(services, target.org, caller))) }
    },
  }),
]
