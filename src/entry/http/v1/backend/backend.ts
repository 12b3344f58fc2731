import { z } from 'zod'
import { badRequest, isTacoError } from '../../../../base/errors.ts'
import type { Caller, LockInfo as Info, Locks, UnitRef } from '../../../../state/index.ts'
import { defined } from '../../kit/drop-undefined.ts'
import type { RenderedError } from '../../kit/response/http-error.ts'
import { STATUS_OF } from '../../kit/response/error-status.ts'
import { expectedBy } from '../../kit/response/etag.ts'
import { holderOf, problems } from '../../kit/response/problem.ts'
import { sendJson } from '../../kit/response/respond.ts'
import { IfStateMatch, PROBLEMS, UNCHANGED, jsonAnswer } from '../../openapi/api.ts'
import { LockInfo, Version } from '../../openapi/openapi-schemas.ts'
import {
  BackendDeleteQuery,
  BackendLockQuery,
  BackendQuery,
  BackendReadQuery,
} from '../../openapi/queries.ts'
import { forceDemand, rawRoute, route } from '../define.ts'
import {
  Guarded,
  STATE,
  STATE_ANSWER,
  readDemand,
  readState,
  receiveState,
  sendAtHand,
} from './state-bytes.ts'

/**
 * The http backend of tofu and terraform. The CLIs insist on 200 for LOCK, UNLOCK and DELETE, and read the holder's lock
 * info from the body of 409 and 423, so that is bare here and not a problem document. Requests are replayed after a lost
 * answer; all of them can be.
 */
const backend = {
  path: '/v1/backend/{org}/{unit...}',
  tags: ['http backend'],
  params: z.object({
    org: z.string(),
    unit: z.string().meta({
      description: 'The path of the unit; its slashes are plain slashes.',
      example: 'prod/network/vpc',
    }),
  }),
  target: ({ params }: { readonly params: UnitRef }) => params,
  takesRunTokens: true,
  isForEngines: true,
  errors: engineErrors,
}

const { content } = jsonAnswer(LockInfo, '')
const Held = {
  description: 'The lock info of the current holder, or a problem',
  content: { ...content, ...PROBLEMS.default.content },
}
const engineLock = {
  schema: LockInfo,
  limit: 'maxLockInfoBytes',
  isAnyType: true,
  hint: 'Send the lock info as the engine creates it: an object with at least an ID.',
} as const

export const backendRoutes = [
  rawRoute({
    ...backend,
    method: 'GET',
    id: 'readBackendState',
    action: 'state:read',
    summary: 'Read the state',
    query: BackendReadQuery,
    also: readDemand,
    answers: { 200: STATE_ANSWER, 304: UNCHANGED },
    handle({ x, target, query }, { control }) {
      if (sendAtHand(x, target, control)) return undefined
      return readState(x, target, control, query.consumer)
    },
  }),
  ...(['POST', 'PUT'] as const).map((method) =>
    rawRoute({
      ...backend,
      method,
      id: method === 'POST' ? 'writeBackendState' : 'putBackendState',
      action: 'state:write',
      summary: 'Write the state',
      query: BackendQuery,
      headers: Guarded,
      body: STATE,
      answers: { 200: jsonAnswer(Version, 'Written'), 409: Held, 423: Held },
      async handle({ x, target, query }, services) {
        const expected = expectedBy(x.req.headers)
        const state = await receiveState(x, target.org, services)
        try {
          const options = {
            how: 'backend',
            createUnit: true,
            ...lockOf(query),
            ...defined({ expected }),
          } as const
          const written = await services.control.states.write(target, state, options, x.caller)
          sendJson(x, 200, written, services.limits)
        } finally {
          await state.dispose()
        }
      },
    }),
  ),
  route({
    ...backend,
    method: 'DELETE',
    id: 'deleteBackendState',
    action: 'state:delete',
    summary: 'Delete the state',
    query: BackendDeleteQuery,
    also: forceDemand,
    headers: IfStateMatch,
    answers: { 200: { description: 'Deleted' }, 409: Held, 423: Held },
    async handle({ target, query: { force, ...query }, headers, caller }, { control }) {
      try {
        const options = { force, ...lockOf(query), ...defined({ expected: expectedBy(headers) }) }
        await control.states.remove(target, options, caller)
      } catch (error) {
        // What is gone is gone: a replay of a DELETE must succeed. A unit that was renamed is not gone.
        if (!isTacoError(error, 'NOT_FOUND') || error.facts['renamedTo'] !== undefined) throw error
      }
      return { status: 200, json: {} }
    },
  }),
  route({
    ...backend,
    method: 'LOCK',
    id: 'lockBackend',
    action: 'lock',
    summary: 'Acquire the lock',
    query: BackendLockQuery,
    body: engineLock,
    answers: { 200: jsonAnswer(LockInfo, 'Locked'), 409: Held, 423: Held },
    async handle({ target, query: { run }, body: info, caller }, { control }) {
      try {
        const kept = run === undefined ? info : { ...info, Run: run }
        const view = await control.locks.lock(target, kept, { createUnit: true }, caller)
        return { status: 200, json: view.info }
      } catch (error) {
        if (!isTacoError(error) || STATUS_OF[error.code] !== 409 || holderOf(error) !== undefined) throw error
        // The CLIs can show nothing but a lock info, and some of them nothing but its id: give the reason there.
        const reason = error.hint === undefined ? error.message : `${error.message} ${error.hint}`
        return { status: 409, json: { ...info, ID: reason, Info: reason } }
      }
    },
  }),
  route({
    ...backend,
    method: 'UNLOCK',
    id: 'unlockBackend',
    action: 'lock',
    summary: 'Release the lock; without a body, break it',
    query: BackendQuery,
    body: { ...engineLock, isRequired: false },
    also: ({ body, target }) => (isForced(body) ? [{ action: 'unlock-others', resource: target }] : []),
    answers: { 200: { description: 'Released' }, 409: Held, 423: Held },
    async handle({ target, body, caller }, { control: { locks } }) {
      // `terraform force-unlock` sends no id at all.
      if (body === undefined) await locks.forceUnlock(target, {}, caller)
      else if (isForced(body)) await forceUnlock(target, body.ID, caller, locks)
      else await locks.unlock(target, body.ID, caller)
      return { status: 200, json: {} }
    },
  }),
]

/** A replay finds the lock broken already; whether that id was ever let go, the plain unlock can tell. */
async function forceUnlock(ref: UnitRef, id: string, caller: Caller, locks: Locks): Promise<void> {
  try {
    await locks.forceUnlock(ref, { id }, caller)
  } catch (error) {
    if (!isTacoError(error, 'NOT_LOCKED', 'LOCK_MISMATCH')) throw error
    await locks.unlock(ref, id, caller)
  }
}

/** `tofu force-unlock` knows nothing but the id and sends the zero time of Go for the rest. */
function isForced(info: Info | undefined): boolean {
  if (info === undefined) return true
  return info.Operation === '' && info.Who === '' && info.Created.startsWith('0001-01-01T00:00:00')
}

function lockOf({ ID }: { readonly ID?: string | undefined }): { readonly lockId?: string } {
  return ID === undefined || ID === '' ? {} : { lockId: ID }
}

function engineErrors(error: unknown, requestId: string): RenderedError {
  // To engines, 404 means that there is no state yet, and they would create everything.
  if (isTacoError(error, 'NOT_FOUND') && error.facts['field'] === 'org')
    return problems(badRequest('org', error.message, error.hint), requestId)
  const holder = isTacoError(error) ? holderOf(error) : undefined
  if (!isTacoError(error) || holder === undefined) return problems(error, requestId)
  return {
    status: STATUS_OF[error.code],
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(holder),
  }
}
