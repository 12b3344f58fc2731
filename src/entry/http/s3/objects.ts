import type { IncomingHttpHeaders } from 'node:http'
import type { KeyedUnit } from '../../../state/index.ts'
import { consumerOf, recordDemand } from '../kit/consumer.ts'
import { objectRoute, rawRoute, stateKeyOf } from './define.ts'
import { readLock, releaseLock, takeLock } from './locks.ts'
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
      refuseOthers(query)
      refuseOtherWrites(headers)
      return stateKeyOf(params.key).isLock ? takeLock(x, target, services) : writeState(x, target, services)
    },
  }),
  rawRoute({
    ...objectRoute('state:delete'),
    method: 'DELETE',
    id: 's3Delete',
    summary: 'Delete a state, or release its lock',
    answers: { 204: { description: 'Deleted' } },
    handle({ x, params, query, target }, services) {
      refuseOthers(query)
      return stateKeyOf(params.key).isLock
        ? releaseLock(x, target, services)
        : deleteState(x, target, services)
    },
  }),
]

/** The unit on whose behalf a request reads: `X-Taco-Unit`, or `taco-unit/<unit>` in the user agent of an engine. */
function consumerIn(headers: IncomingHttpHeaders, { org, name }: KeyedUnit): string | undefined {
  const [, named] = /(?:^|\s)taco-unit\/([\w.%-]+)/.exec(headers['user-agent'] ?? '') ?? []
  return consumerOf(named === undefined ? undefined : decodeURIComponent(named), headers, { org, unit: name })
}

/** What SDKs add by themselves. */
const PLAIN = new Set(['x-id'])

/** Anything else asks for something else than the object. */
function refuseOthers(query: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(query).find((name) => !PLAIN.has(name))
  if (other !== undefined) throw s3Error('NotImplemented', `"${other}" is not supported.`)
}

function refuseOtherWrites(headers: IncomingHttpHeaders): void {
  if (headers['x-amz-copy-source'] !== undefined) throw s3Error('NotImplemented', 'Copying is not supported.')
  if (headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined)
    throw s3Error('NotImplemented', 'Encryption with a key of the client is not supported.', {
      hint: 'Remove sse_customer_key, or use the state encryption of OpenTofu.',
    })
}
