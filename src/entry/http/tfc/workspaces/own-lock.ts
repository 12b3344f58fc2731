import { type Caller, authorOf } from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import type { LockInfo, LockView } from '../../../../state/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { conflict } from '../kit/errors.ts'

/**
 * Clients of this API lock without an id. Each lock gets one that is made for it, so that two commands of one person
 * never hold the same lock, and is released by the one that took it: the same caller, or the same run.
 */
const PREFIX = 'tfc'

export function newLock(
  { ids, clock }: Pick<TfcServices, 'ids' | 'clock'>,
  { reason, path, version }: { readonly reason: string; readonly path: string; readonly version: string },
  caller: Caller,
): LockInfo {
  const { by, who } = authorOf(caller)
  const run = runOf(caller)
  return {
    ID: ids.id(PREFIX),
    Operation: '',
    Info: reason,
    Who: who ?? by,
    Version: version,
    Created: isoTime(clock.now()),
    Path: path,
    ...(run === undefined ? {} : { Run: run }),
  }
}

/** Whether the caller took this lock, through this API. Locks of other commands are not its own. */
export function isOwnLock(lock: LockView, caller: Caller): boolean {
  if (lock.outside) return false
  const run = runOf(caller)
  if (run !== undefined) return lock.info['Run'] === run
  return lock.id.startsWith(`${PREFIX}-`) && lock.info['Run'] === undefined && lock.by === authorOf(caller).by
}

/** In the words that clients look for: `is locked by User`, `Team` or `Run`. */
export function lockedByOther(lock: LockView): Error {
  const kind = lock.info['Run'] !== undefined ? 'Run' : lock.by.startsWith('team:') ? 'Team' : 'User'
  const holder = (lock.who ?? lock.by).replace(/^[a-z]+:/, '')
  return conflict(`The workspace is locked by ${kind} ${holder}.`)
}

function runOf({ principal }: Caller): string | undefined {
  return principal.kind === 'run' ? principal.id : undefined
}
