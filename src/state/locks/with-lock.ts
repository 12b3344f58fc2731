import { authorOf } from '../../access/index.ts'
import { isoTime } from '../../base/clock.ts'
import { messageOf } from '../../base/errors.ts'
import type { LockInfo } from '../documents/model.ts'
import type { LockRequest } from '../protocol/lock.ts'
import { lockUnit } from '../protocol/lock.ts'
import type { Parts, Target } from '../protocol/context.ts'
import { unlockUnit } from '../protocol/release.ts'
import type { Caller } from '../state-control.ts'

export interface HeldLock {
  readonly id: string
  /** Does nothing if the lock is the caller's. Call it in any case. */
  release(): Promise<void>
}

/**
 * The caller's lock if it has one, else a lock taken for just this operation: a lease, so that it expires by itself if
 * this process dies.
 */
export async function ensureLock(
  parts: Parts,
  target: Target,
  options: {
    readonly lockId?: string | undefined
    readonly operation: string
    readonly check?: LockRequest['check']
  },
  caller: Caller,
): Promise<HeldLock> {
  if (options.lockId !== undefined) return { id: options.lockId, release: async () => {} }
  const request = { ...ownLock(parts, options.operation, caller), check: options.check }
  await lockUnit(parts, target, request, caller)
  return { id: request.info.ID, release: () => letGo(parts, target, request.info.ID, caller) }
}

export function ownLock({ deps }: Parts, operation: string, caller: Caller): LockRequest {
  const { clock, ids, settings } = deps
  const { by, who } = authorOf(caller)
  const info: LockInfo = {
    ID: ids.id('lk'),
    Operation: operation,
    Info: '',
    Who: who ?? by,
    Version: '',
    Created: isoTime(clock.now()),
    Path: '',
  }
  return { info, leaseMs: settings.ownLeaseMs, evenIfMissing: true }
}

/** What the operation did is done: a lock that cannot be released now is only logged, and its lease frees it. */
export async function letGo(parts: Parts, target: Target, lockId: string, caller: Caller): Promise<void> {
  try {
    await unlockUnit(parts, { org: target.org, id: target.id }, lockId, caller)
  } catch (error) {
    parts.deps.log.warn('a lock taken for one operation could not be released', {
      unit: target.id,
      error: messageOf(error),
    })
  }
}
