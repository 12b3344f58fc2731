import type { OutgoingHttpHeaders } from 'node:http'
import { principalText } from '../../../../access/index.ts'
import { TacoError, badRequest, isTacoError } from '../../../../base/errors.ts'
import type { Found, ReceivedState, StateControl, UnitRef } from '../../../../state/index.ts'
import { consumerOf } from '../../kit/consumer.ts'
import { checkReceiptWanted } from '../../auth/cross-site.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { endTogether } from '../../kit/response/end-together.ts'
import { etagOf, expectedBy, isUnchanged, singleTag } from '../../kit/response/etag.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { freeing } from '../../kit/freeing.ts'
import { keyedRequest } from '../idempotency.ts'
import { checkJsonType } from '../../kit/request/json-type.ts'
import type { Limits } from '../../kit/limits.ts'
import {
  OrgQuery,
  StateChangeQuery,
  StateReadQuery,
  StateWriteQuery,
  queryOf,
} from '../../openapi/queries.ts'
import { declaredBytes, received, tooLarge } from '../../kit/request/receive.ts'
import { sendJson, writeHead } from '../../kit/response/respond.ts'
import { checkConsumer } from '../../auth/run-access.ts'
import { sendBytes } from '../../kit/response/send-bytes.ts'
import { decodeSegment, unitOfSegment } from '../../kit/unit-path.ts'

interface Deps {
  readonly control: StateControl
  readonly limits: Limits
  readonly freeBuffers?: () => void
}

/** A raw route of the native API, taken apart; undefined when the path is none. */
export function stateTarget(x: Exchange): { unit: string; version: string | undefined } | undefined {
  const [unit = '', second, version, last, ...more] = x.path.slice('/v1/units/'.length).split('/')
  if (second === 'state' && version === undefined) return { unit: unitOfSegment(unit), version: undefined }
  if (second !== 'versions' || version === undefined || last !== 'state' || more.length > 0) return undefined
  return { unit: unitOfSegment(unit), version: decodeSegment(version, 'version') }
}

export const STATE_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE'] as const

export async function answerState(x: Exchange, unit: string, deps: Deps): Promise<void> {
  if (x.method === 'GET' || x.method === 'HEAD') {
    const { org, consumer } = queryOf(x, StateReadQuery)
    return readState(x, { org, unit }, deps.control, consumer)
  }
  if (x.method === 'DELETE') {
    const { org, lock, force } = queryOf(x, StateChangeQuery)
    const options = { force, ...defined({ lockId: lock, expected: expectedBy(x.req.headers) }) }
    x.keyed = keyOf(x, '')
    await deps.control.states.remove({ org, unit }, options, x.caller)
    writeHead(x, 204, {})
    x.res.end()
    return
  }
  checkJsonType(x.req.headers['content-type'])
  const { org, lock, force, keepSerial, message } = queryOf(x, StateWriteQuery)
  const ref = { org, unit }
  const expected = expectedBy(x.req.headers)
  const state = await receiveState(x, ref.org, deps)
  try {
    x.keyed = keyOf(x, state.hash)
    const given = { force, keepSerial, ...defined({ lockId: lock, message, expected }) }
    const options = { how: 'push', createUnit: true, ...given } as const
    sendJson(x, 201, await deps.control.states.write(ref, state, options, x.caller))
  } finally {
    await state.dispose()
  }
}

function keyOf(x: Exchange, body: string): Exchange['keyed'] {
  const key = x.req.headers['idempotency-key']?.toString()
  return keyedRequest(key, principalText(x.principal), [x.method, x.path, x.query, body])
}

export async function readState(
  x: Exchange,
  ref: UnitRef,
  control: StateControl,
  consumerAsked: string | undefined,
): Promise<void> {
  const { headers: asked } = x.req
  const ifNoneMatch = asked['if-match'] === undefined ? singleTag(asked['if-none-match']) : undefined
  const header = x.req.headers['x-taco-unit']
  const consumer = consumerOf(consumerAsked, typeof header === 'string' ? header : undefined, ref)
  if (consumer.consumer !== undefined) checkReceiptWanted((name) => x.req.headers[name]?.toString())
  if (consumer.consumer !== undefined) checkConsumer(x.principal, ref.org, consumer.consumer)
  const reading = control.states.read(ref, {
    signal: x.signal,
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
    ...consumer,
  })
  const found = await (consumer.consumer === undefined ? reading : reading.catch(consumerNotFound))
  const what = `the state of ${ref.unit}`
  if (found === undefined) {
    isUnchanged(asked, null, what)
    throw new TacoError('NOT_FOUND', `the unit ${ref.unit} has no state`, {
      hint: 'It gets one with its first apply.',
    })
  }
  if (found === 'unchanged') return sendUnchanged(x, ifNoneMatch ?? '')
  if (isUnchangedOrFailed(x, found, what)) return sendUnchanged(x, found.tag)
  const headers = stateHeaders(x, found.tag)
  if (x.method === 'HEAD') {
    found.discard()
    x.res.writeHead(200, { ...headers, 'content-length': found.size })
    x.res.end()
    return
  }
  await sendBytes(x, found, headers)
}

function sendUnchanged(x: Exchange, tag: string): void {
  writeHead(x, 304, { etag: etagOf(tag) })
  x.res.end()
}

/** What is not sent must be let go. */
function isUnchangedOrFailed(x: Exchange, found: Found, what: string): boolean {
  let isSent = false
  try {
    const unchanged = isUnchanged(x.req.headers, found.tag, what)
    isSent = !unchanged
    return unchanged
  } finally {
    if (!isSent) found.discard()
  }
}

/** A small state that is in memory, in the very turn in which it is asked for. False: it takes longer. */
export function sendAtHand(x: Exchange, ref: UnitRef, control: StateControl): boolean {
  const { headers } = x.req
  if (x.query !== '' || headers['x-taco-unit'] !== undefined) return false
  if (headers['if-none-match'] !== undefined || headers['if-match'] !== undefined) return false
  const held = control.states.readNow(ref)
  if (held === undefined) return false
  const answer = stateHeaders(x, held.tag)
  answer['content-length'] = held.size
  x.res.writeHead(200, answer)
  endTogether(x.res, held.content)
  return true
}

/** The state itself is `undefined` when it is not there, and a 404 would tell the CLIs just that. */
function consumerNotFound(error: unknown): never {
  if (!isTacoError(error, 'NOT_FOUND')) throw error
  throw new TacoError(
    'BAD_REQUEST',
    `nobody can read on behalf of a unit that is not there: ${error.message}`,
    {
      facts: { field: 'consumer' },
      hint: 'it is created by its first lock or with `taco unit create`',
      cause: error,
    },
  )
}

export async function readVersion(
  x: Exchange,
  target: { unit: string; version: string },
  { control, freeBuffers }: Deps,
): Promise<void> {
  const { org } = queryOf(x, OrgQuery)
  const { view, body, dispose } = await control.versions.read({ org, unit: target.unit }, target.version)
  try {
    const headers = stateHeaders(x, view.sha256)
    if (isUnchanged(x.req.headers, view.sha256, `version ${view.seq}`)) {
      x.res.writeHead(304, headers)
      x.res.end()
    } else if (x.method === 'HEAD') {
      x.res.writeHead(200, { ...headers, 'content-length': body.size })
      x.res.end()
    } else {
      const bytes = async () => body.bytes ?? collect(body.stream(), body.size)
      await sendBytes(
        x,
        { size: body.size, bytes, stream: () => freeing(body.stream(), freeBuffers) },
        headers,
      )
    }
  } finally {
    await dispose()
  }
}

/** Takes a state in, hashed and understood; nothing is written yet. Too large a one is refused before it is sent. */
export async function receiveState(
  x: Exchange,
  org: string,
  { control, limits, freeBuffers }: Deps,
): Promise<ReceivedState> {
  const declared = declaredBytes(x)
  if (declared !== undefined && declared > limits.maxStateBytes) throw tooLarge(limits.maxStateBytes)
  const contentMd5 = x.req.headers['content-md5']
  if (Array.isArray(contentMd5))
    throw badRequest('Content-MD5', 'there is more than one Content-MD5', 'Send one.')
  return control.states.receive(freeing(received(x), freeBuffers), {
    org,
    maxBytes: limits.maxStateBytes,
    ...(declared === undefined ? {} : { declaredBytes: declared }),
    ...(contentMd5 === undefined ? {} : { contentMd5 }),
  })
}

/** Every header costs time on the way of a state; those that only concern browsers' pages are left out here. */
function stateHeaders(x: Exchange, tag: string): OutgoingHttpHeaders {
  return {
    'content-type': 'application/json',
    'content-length': 0,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    etag: etagOf(tag),
    'x-request-id': x.requestId,
  }
}

async function collect(stream: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(size)
  let at = 0
  for await (const part of stream) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
