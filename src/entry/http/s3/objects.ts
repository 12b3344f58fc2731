import type { IncomingHttpHeaders } from 'node:http'
import type { KeyedUnit } from '../../../state/index.ts'
import { consumerOf, recordDemand } from '../kit/consumer.ts'
import { objectRoute, rawRoute, stateKeyOf } from './define.ts'
import { readLock, releaseLock, takeLock } from './locks.ts'
import { abortUpload, beginUpload, finishUpload, putPart } from './multipart.ts'
import { s3Error } from './s3-error.ts'
import { deleteState, readState, writeState } from './states.ts'

export const objectRoutes = [
  rawRoute({
    ...objectRoute('state:read'),
    method: 'GET',
    id: 's3Read',
    summary: 'Read a state, or the info of its lock',
    answers: { 200: { description: 'The state' } },
    also: ({ params, target, headers }) =>
      stateKeyOf(params.key).isLock ? [] : recordDemand(consumerIn(headers, target), target),
    handle({ x, params, query, target, headers }, services) {
      refuseOthers(query)
      if (stateKeyOf(params.key).isLock) return readLock(x, target, services)
      return readState(x, target, services, consumerIn(headers, target))
    },
  }),
  rawRoute({
    ...objectRoute('state:write'),
    method: 'PUT',
    id: 's3Write',
    summary: 'Write a state, or acquire its lock',
    answers: { 200: { description: 'Written' } },
    handle({ x, params, query, target, headers }, services) {
      refuseOthers(query, ['uploadId', 'partNumber'])
      refuseOtherWrites(headers)
      if (stateKeyOf(params.key).isLock) return takeLock(x, target, services)
      const { uploadId, partNumber } = query
      return typeof uploadId === 'string' && typeof partNumber === 'string'
        ? putPart(x, target, services, { uploadId, partNumber })
        : writeState(x, target, services)
    },
  }),
  rawRoute({
    ...objectRoute('state:write'),
    method: 'POST',
    id: 's3Upload',
    summary: 'Begin or finish a state that comes in parts',
    answers: { 200: { description: 'Begun or written' } },
    handle({ x, params, query, target, headers }, services) {
      refuseOthers(query, ['uploads', 'uploadId'])
      refuseOtherWrites(headers)
      if (stateKeyOf(params.key).isLock) throw s3Error('NotImplemented', 'A lock does not come in parts.')
      const { uploadId } = query
      if (typeof uploadId === 'string') return finishUpload(x, target, services, uploadId)
      if ('uploads' in query) return beginUpload(x, target, services)
      throw s3Error('NotImplemented', 'Forms are not supported.')
    },
  }),
  rawRoute({
    ...objectRoute('state:delete'),
    method: 'DELETE',
    id: 's3Delete',
    summary: 'Delete a state, release its lock, or give up an upload',
    answers: { 204: { description: 'Deleted' } },
    handle({ x, params, query, target }, services) {
      refuseOthers(query, ['uploadId'])
      if (stateKeyOf(params.key).isLock) return releaseLock(x, target, services)
      return typeof query['uploadId'] === 'string'
        ? abortUpload(x, target, services, query['uploadId'])
        : deleteState(x, target, services)
    },
  }),
]

/**
 * The unit on whose behalf a request reads: `X-Taco-Unit`, or `taco-unit/<unit>` in the user agent of an engine. Some
 * engines write the slash as a dash.
 */
function consumerIn(headers: IncomingHttpHeaders, { org, name }: KeyedUnit): string | undefined {
  const [, named] = /(?:^|\s)taco-unit[/-]([\w.-]+)/.exec(headers['user-agent'] ?? '') ?? []
  return consumerOf(named, headers, { org, unit: name })
}

/** What SDKs add by themselves. */
const PLAIN = new Set(['x-id'])

/** Anything else asks for something else than the object. */
function refuseOthers(query: Readonly<Record<string, unknown>>, known: readonly string[] = []): void {
  const other = Object.keys(query).find((name) => !PLAIN.has(name) && !known.includes(name))
  if (other !== undefined) throw s3Error('NotImplemented', `"${other}" is not supported.`)
}

function refuseOtherWrites(headers: IncomingHttpHeaders): void {
  if (headers['x-amz-copy-source'] !== undefined) throw s3Error('NotImplemented', 'Copying is not supported.')
  if (headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined)
    throw s3Error('NotImplemented', 'Encryption with a key of the client is not supported.', {
      hint: 'Remove sse_customer_key, or use the state encryption of OpenTofu.',
    })
}
