import { principalText } from '../../../access/index.ts'
import { TacoError, isTacoError } from '../../../base/errors.ts'
import { type KeyedUnit, LockInfo, type LockView, type UnitRef } from '../../../state/index.ts'
import type { Exchange } from '../kit/exchange.ts'
import { validated } from '../kit/request/query.ts'
import { parseJson } from '../kit/request/receive.ts'
import { etagOf, expectedBy, isUnchanged } from '../kit/response/etag.ts'
import { send } from '../kit/response/respond.ts'
import type { S3Services } from './define.ts'
import { chunkKeyOf } from './identify.ts'
import { payloadOf, wholePayload } from './payload.ts'
import { s3Error } from './s3-error.ts'

/** In the info of a lock that was taken here. */
const DOOR = { Door: 's3' }

/** The unit of a write or a lock, created on first use. */
export function unitOf(
  x: Exchange,
  target: KeyedUnit,
  control: S3Services['control'],
): Promise<UnitRef> | UnitRef {
  return target.isNew ? control.keys.create(target, target.name, x.caller) : target
}

/**
 * The lock under which a write without a lock id belongs: S3 clients name none. It is the one that this very caller
 * took here. Undefined: the write takes one of its own, which fails if anyone else holds one.
 */
export async function lockUnder(
  ref: UnitRef,
  x: Exchange,
  { keys }: S3Services['control'],
): Promise<string | undefined> {
  const lock = await keys.lockOf(ref, x.caller)
  return lock !== null && isOwn(lock, x) ? lock.id : undefined
}

/** A lock that was taken at another door has an id that its holder would send there. */
function isOwn({ outside, by, info }: LockView, x: Exchange): boolean {
  return !outside && info['Door'] === DOOR.Door && by === principalText(x.principal)
}

export async function takeLock(x: Exchange, target: KeyedUnit, services: S3Services): Promise<void> {
  const { control, limits } = services
  const body = await wholePayload(payloadOf(x, chunkKeyOf(x)), limits.maxLockInfoBytes)
  const info = validated(
    LockInfo,
    parseJson(body),
    'Send the lock info as the engine creates it: an object with at least an ID.',
  )
  try {
    const ref = await unitOf(x, target, control)
    const lock = await control.locks.lock(ref, { ...info, ...DOOR }, {}, x.caller)
    send(x, 200, Buffer.alloc(0), lockHeaders(x, lock), limits)
  } catch (error) {
    if (!isTacoError(error, 'LOCKED')) throw error
    // Engines read the holder from the object after this.
    throw s3Error('PreconditionFailed', error.message, {
      code: 'LOCKED',
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    })
  }
}

export async function readLock(
  x: Exchange,
  target: KeyedUnit,
  { control, limits }: S3Services,
): Promise<void> {
  const lock = target.isNew ? null : await control.keys.lockOf(target, x.caller)
  if (lock === null) throw notLocked(target)
  if (isUnchanged(x.req.headers, lock.id, `The lock of ${target.key}`))
    return send(x, 304, undefined, lockHeaders(x, lock), limits)
  send(
    x,
    200,
    Buffer.from(JSON.stringify(lock.info)),
    { ...lockHeaders(x, lock), 'content-type': 'application/json' },
    limits,
  )
}

/**
 * Engines read the lock, compare its id, and then delete it without naming it: to release it, and to force it. Those
 * who took it here release it; for everyone else it is the lock of others.
 */
export async function releaseLock(
  x: Exchange,
  target: KeyedUnit,
  { control, limits }: S3Services,
): Promise<void> {
  const { locks, keys } = control
  const lock = target.isNew ? null : await keys.lockOf(target, x.caller)
  if (lock !== null) {
    const expected = expectedBy(x.req.headers)
    if (Array.isArray(expected) && !expected.includes(lock.id))
      throw s3Error('PreconditionFailed', `Another lock is held for ${target.key}.`, {
        code: 'LOCK_MISMATCH',
      })
    if (isOwn(lock, x)) await locks.unlock(target, lock.id, x.caller)
    else {
      await checkMayBreak(x, target, control)
      await locks.forceUnlock(target, { id: lock.id }, x.caller)
    }
  }
  send(x, 204, undefined, { 'x-amz-request-id': x.requestId }, limits)
}

async function checkMayBreak(x: Exchange, target: KeyedUnit, control: S3Services['control']): Promise<void> {
  if (x.sight === undefined) return
  const { id, name, labels } = await control.units.get(target, x.caller)
  if (x.sight.may('unlock-others', { id, name, labels })) return
  x.isDenied = true
  x.action = 'unlock-others'
  throw new TacoError('FORBIDDEN', `You have no permission to break the lock of ${target.key}.`, {
    facts: { action: 'unlock-others' },
    hint: 'Ask its holder, or an administrator of the organization.',
  })
}

function lockHeaders(x: Exchange, { id, at }: LockView) {
  return { etag: etagOf(id), 'last-modified': new Date(at).toUTCString(), 'x-amz-request-id': x.requestId }
}

function notLocked({ key }: KeyedUnit): TacoError {
  return new TacoError('NOT_FOUND', `The state at ${key} is not locked.`)
}
