import { isoTime } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { LockInfo } from './model.ts'
import { lockUnit } from './protocol/lock.ts'
import type { Parts, Target } from './protocol/parts.ts'
import { unlockUnit } from './protocol/release.ts'
import type { Caller } from './services.ts'

/**
 * Runs `work` under the caller's lock if it has one, else under a lock taken for just this operation: a lease, so
 * that it heals itself if this process dies.
 */
export async function underLock<T>(
  parts: Parts,
  target: Target,
  options: { readonly lockId?: string | undefined; readonly operation: string },
  caller: Caller,
  work: (lockId: string) => Promise<T>,
): Promise<T> {
  if (options.lockId !== undefined) return work(options.lockId)
  const { clock, ids, settings } = parts.deps
  const info: LockInfo = {
    ID: ids.id('lk'),
    Operation: options.operation,
    Info: '',
    Who: caller.by,
    Version: '',
    Created: isoTime(clock.now()),
    Path: '',
  }
  await lockUnit(parts, target, { info, leaseMs: settings.ownLeaseMs }, caller)
  try {
    return await work(info.ID)
  } finally {
    await letGo(parts, target, info.ID, caller)
  }
}

/** What the operation did is done: a lock that cannot be released now is only logged, and its lease frees it. */
async function letGo(parts: Parts, target: Target, lockId: string, caller: Caller): Promise<void> {
  try {
    await unlockUnit(parts, { org: target.org, id: target.id }, lockId, caller)
  } catch (error) {
    parts.deps.log.warn('a lock taken for one operation could not be released', {
      unit: target.id,
      error: messageOf(error),
    })
  }
}
