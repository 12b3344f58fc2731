import { isTacoError } from '../../../../base/errors.ts'
import { LockInfo, type StateControl, type UnitRef } from '../../../../state/index.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { expectedBy, refuseConditions } from '../../kit/response/etag.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { Limits } from '../../kit/limits.ts'
import { holderOf } from '../../kit/response/problem.ts'
import {
  BackendDeleteQuery,
  BackendLockQuery,
  BackendQuery,
  BackendReadQuery,
  faultsOf,
  queryOf,
} from '../../openapi/queries.ts'
import { parseJson, receivedWhole } from '../../kit/request/receive.ts'
import { sendJson, sendRefusal } from '../../kit/response/respond.ts'
import { STATUS_OF } from '../../kit/response/error-status.ts'
import { readState, receiveState, sendAtHand } from './state-bytes.ts'

export interface BackendDeps {
  readonly control: StateControl
  readonly limits: Limits
  readonly freeBuffers?: () => void
}

export const BACKEND_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'LOCK', 'UNLOCK'] as const

/**
 * The http backend of tofu and terraform: five methods on one address. The CLIs insist on 200 for LOCK, UNLOCK and
 * DELETE, and read the holder's lock info from the body of 409 and 423, so those are bare here and not a problem
 * document. Requests are replayed after a lost answer; all of them can be.
 */
export function answerBackend(x: Exchange, ref: UnitRef, deps: BackendDeps): Promise<void> | undefined {
  if (x.method === 'GET' && sendAtHand(x, ref, deps.control)) return undefined
  return answerInTime(x, ref, deps)
}

async function answerInTime(x: Exchange, ref: UnitRef, deps: BackendDeps): Promise<void> {
  try {
    await answerMethod(x, ref, deps)
  } catch (error) {
    const holder = isTacoError(error) ? holderOf(error) : undefined
    if (holder === undefined || !isTacoError(error)) throw error
    sendRefusal(x, STATUS_OF[error.code], holder, { 'content-type': 'application/json' }, deps.limits)
  }
}

async function answerMethod(x: Exchange, ref: UnitRef, deps: BackendDeps): Promise<void> {
  switch (x.method) {
    case 'GET':
    case 'HEAD':
      return readState(x, ref, deps.control, queryOf(x, BackendReadQuery).consumer)
    case 'POST':
    case 'PUT':
      return write(x, ref, deps)
    case 'DELETE':
      return remove(x, ref, deps)
    case 'LOCK':
      return lock(x, ref, deps)
    default:
      return unlock(x, ref, deps)
  }
}

async function write(x: Exchange, ref: UnitRef, deps: BackendDeps): Promise<void> {
  const lock = lockOf(queryOf(x, BackendQuery))
  const expected = expectedBy(x.req.headers)
  const state = await receiveState(x, ref.org, deps)
  try {
    const options = { how: 'backend', createUnit: true, ...lock, ...defined({ expected }) } as const
    sendJson(x, 200, await deps.control.states.write(ref, state, options, x.caller))
  } finally {
    await state.dispose()
  }
}

async function remove(x: Exchange, ref: UnitRef, { control }: BackendDeps): Promise<void> {
  const { force, ...query } = queryOf(x, BackendDeleteQuery)
  try {
    const options = { force, ...lockOf(query), ...defined({ expected: expectedBy(x.req.headers) }) }
    await control.states.remove(ref, options, x.caller)
  } catch (error) {
    // What is gone is gone: a replay of a DELETE must succeed. A unit that was renamed is not gone.
    if (!isTacoError(error, 'NOT_FOUND') || error.facts['renamedTo'] !== undefined) throw error
  }
  sendJson(x, 200, {})
}

async function lock(x: Exchange, ref: UnitRef, { control, limits }: BackendDeps): Promise<void> {
  const { run } = queryOf(x, BackendLockQuery)
  refuseConditions(x.req.headers)
  const info = parseLockInfo(await receivedWhole(x, limits.maxLockInfoBytes))
  const kept = run === undefined ? info : { ...info, Run: run }
  try {
    const view = await control.locks.lock(ref, kept, { createUnit: true }, x.caller)
    sendJson(x, 200, view.info)
  } catch (error) {
    if (!isTacoError(error) || STATUS_OF[error.code] !== 409 || holderOf(error) !== undefined) throw error
    // The CLIs can show nothing but a lock info, and some of them nothing but its id: give the reason there.
    const reason = error.hint === undefined ? error.message : `${error.message}; ${error.hint}`
    sendJson(x, 409, { ...info, ID: reason, Info: reason })
  }
}

async function unlock(x: Exchange, ref: UnitRef, { control, limits }: BackendDeps): Promise<void> {
  queryOf(x, BackendQuery)
  refuseConditions(x.req.headers)
  const body = await receivedWhole(x, limits.maxLockInfoBytes)
  if (body.byteLength === 0) {
    // `terraform force-unlock` sends no id at all.
    await control.locks.forceUnlock(ref, {}, x.caller)
  } else {
    const info = parseLockInfo(body)
    if (isForced(info)) await forceUnlock(x, ref, info.ID, control)
    else await control.locks.unlock(ref, info.ID, x.caller)
  }
  sendJson(x, 200, {})
}

/** A replay finds the lock broken already; whether that id was ever let go, the plain unlock can tell. */
async function forceUnlock(x: Exchange, ref: UnitRef, id: string, control: StateControl): Promise<void> {
  try {
    await control.locks.forceUnlock(ref, { id }, x.caller)
  } catch (error) {
    if (!isTacoError(error, 'NOT_LOCKED', 'LOCK_MISMATCH')) throw error
    await control.locks.unlock(ref, id, x.caller)
  }
}

/** `tofu force-unlock` knows nothing but the id and sends the zero time of Go for the rest. */
function isForced(info: LockInfo): boolean {
  return info.Operation === '' && info.Who === '' && info.Created.startsWith('0001-01-01T00:00:00')
}

function parseLockInfo(body: Uint8Array): LockInfo {
  const parsed = LockInfo.safeParse(parseJson(body))
  if (parsed.success) return parsed.data
  throw faultsOf(parsed.error, 'Send the lock info as the engine makes it: an object with at least an ID.')
}

function lockOf({ ID }: { readonly ID?: string | undefined }): { readonly lockId?: string } {
  return ID === undefined || ID === '' ? {} : { lockId: ID }
}
