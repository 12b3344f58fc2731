import { z } from 'zod'
import { principalText } from '../../../../access/index.ts'
import { defined } from '../../kit/drop-undefined.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { keyedRequest } from '../../kit/request/idempotency.ts'
import { checkJsonType } from '../../kit/request/json-type.ts'
import { expectedBy } from '../../kit/response/etag.ts'
import { sendJson } from '../../kit/response/respond.ts'
import { Idempotent, IfStateMatch, OrgQuery, UNCHANGED, UnitParams, jsonAnswer } from '../../openapi/api.ts'
import { Version } from '../../openapi/openapi-schemas.ts'
import { StateChangeQuery, StateReadQuery, StateWriteQuery } from '../../openapi/queries.ts'
import {
  Guarded,
  STATE,
  STATE_ANSWER,
  readDemand,
  readState,
  readVersion,
  receiveState,
} from '../backend/state-bytes.ts'
import { forceDemand, ofUnit, rawRoute, route } from '../define.ts'

const tags = ['states']
const path = '/v1/units/{unit}/state'

export const stateRoutes = [
  rawRoute({
    method: 'GET',
    path,
    id: 'readState',
    action: 'state:read',
    tags,
    summary: 'Read the state',
    params: UnitParams,
    query: StateReadQuery,
    target: ofUnit,
    also: readDemand,
    answers: { 200: STATE_ANSWER, 304: UNCHANGED },
    handle: ({ x, target, query }, { control }) => readState(x, target, control, query.consumer),
  }),
  rawRoute({
    method: 'PUT',
    path,
    id: 'writeState',
    action: 'state:write',
    tags,
    summary: 'Write the state; creates the unit on first use',
    params: UnitParams,
    query: StateWriteQuery,
    headers: Guarded.extend(Idempotent.shape),
    body: STATE,
    target: ofUnit,
    also: forceDemand,
    answers: { 201: jsonAnswer(Version, 'Written') },
    async handle({ x, target, query: { lock, force, keepSerial, message } }, services) {
      checkJsonType(x.req.headers['content-type'])
      const expected = expectedBy(x.req.headers)
      const state = await receiveState(x, target.org, services)
      try {
        x.keyed = keyOf(x, state.hash)
        const given = { force, keepSerial, ...defined({ lockId: lock, message, expected }) }
        const options = { how: 'push', createUnit: true, ...given } as const
        const written = await services.control.states.write(target, state, options, x.caller)
        sendJson(x, 201, written, services.limits)
      } finally {
        await state.dispose()
      }
    },
  }),
  route({
    method: 'DELETE',
    path,
    id: 'deleteState',
    action: 'state:delete',
    tags,
    summary: 'Delete the state; its history is kept',
    params: UnitParams,
    query: StateChangeQuery,
    headers: IfStateMatch.extend(Idempotent.shape),
    target: ofUnit,
    also: forceDemand,
    answers: { 204: { description: 'Deleted' } },
    async handle({ target, query: { lock, force }, headers, caller }, { control }) {
      const options = { force, ...defined({ lockId: lock, expected: expectedBy(headers) }) }
      await control.states.remove(target, options, caller)
      return { status: 204 }
    },
  }),
  rawRoute({
    method: 'GET',
    path: '/v1/units/{unit}/versions/{version}/state',
    id: 'readVersionState',
    action: 'versions:read-state',
    tags,
    summary: 'Read the state of a version',
    params: UnitParams.extend({ version: z.string() }),
    query: OrgQuery,
    target: ofUnit,
    answers: { 200: STATE_ANSWER, 304: UNCHANGED },
    handle: ({ x, target, params }, services) => readVersion(x, target, params.version, services),
  }),
]

/** The hash represents the body, which was not kept. */
function keyOf(x: Exchange, hash: string): Exchange['keyed'] {
  const key = x.req.headers['idempotency-key']?.toString()
  return keyedRequest(key, principalText(x.principal), [x.method, x.path, x.query, hash])
}
