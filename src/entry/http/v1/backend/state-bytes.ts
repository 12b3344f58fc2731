import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { TacoError, badRequest } from '../../../../base/errors.ts'
import type { Found, ReceivedState, StateControl, UnitRef } from '../../../../state/index.ts'
import { checkReceiptWanted } from '../../auth/cross-site.ts'
import { consumerNotFound, consumerOf, recordDemand } from '../../kit/consumer.ts'
import { defined } from '../../kit/drop-undefined.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { freeing } from '../../kit/freeing.ts'
import type { Limits } from '../../kit/limits.ts'
import { declaredBytes, received, tooLarge } from '../../kit/request/receive.ts'
import { endTogether } from '../../kit/response/end-together.ts'
import { etagOf, isUnchanged, singleTag } from '../../kit/response/etag.ts'
import { writeHead } from '../../kit/response/respond.ts'
import { sendBytes } from '../../kit/response/send-bytes.ts'
import type { Demand } from '../../kit/routes/route.ts'
import { IfStateMatch, jsonAnswer } from '../../openapi/api.ts'

interface Deps {
  readonly control: StateControl
  readonly limits: Limits
  readonly freeBuffers?: () => void
}

const State = z.string().meta({ type: 'string', format: 'binary', description: 'The state, unchanged' })
export const STATE = { schema: State }
export const STATE_ANSWER = jsonAnswer(State, 'The state')
/** Of a write. */
export const Guarded = IfStateMatch.extend({
  'if-none-match': z.string().optional().meta({ description: '"*": write only if there is no state yet.' }),
  'content-md5': z
    .string()
    .optional()
    .meta({ description: 'Base64. A state that does not match is refused.' }),
})

/** Of a read on behalf of a unit. */
export function readDemand(given: {
  readonly query: { readonly consumer?: string | undefined }
  readonly headers: IncomingHttpHeaders
  readonly target: UnitRef
}): readonly Demand[] {
  return recordDemand(consumerOf(given.query.consumer, given.headers, given.target), given.target)
}

export async function readState(
  x: Exchange,
  ref: UnitRef,
  control: StateControl,
  consumerAsked: string | undefined,
): Promise<void> {
  const { headers: asked } = x.req
  const ifNoneMatch = asked['if-match'] === undefined ? singleTag(asked['if-none-match']) : undefined
  const consumer = consumerOf(consumerAsked, asked, ref)
  if (consumer !== undefined) checkReceiptWanted(asked)
  const options = { signal: x.signal, ...defined({ ifNoneMatch, consumer }) }
  const reading = control.states.read(ref, options, x.caller)
  const found = await (consumer === undefined ? reading : reading.catch(consumerNotFound))
  const what = `The state of ${ref.unit}`
  if (found === undefined) {
    isUnchanged(asked, null, what)
    throw new TacoError('NOT_FOUND', `The unit ${ref.unit} has no state.`, {
      hint: 'The first apply creates it.',
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
  if (x.method !== 'GET' || x.query !== '' || headers['x-taco-unit'] !== undefined) return false
  if (headers['if-none-match'] !== undefined || headers['if-match'] !== undefined) return false
  const held = control.states.readNow(ref, x.caller)
  if (held === undefined) return false
  const answer = stateHeaders(x, held.tag)
  answer['content-length'] = held.size
  x.res.writeHead(200, answer)
  endTogether(x.res, held.content)
  return true
}

export async function readVersion(
  x: Exchange,
  ref: UnitRef,
  version: string,
  { control, freeBuffers }: Deps,
): Promise<void> {
  const { view, body, dispose } = await control.versions.read(ref, version, x.caller)
  try {
    const headers = stateHeaders(x, view.sha256)
    if (isUnchanged(x.req.headers, view.sha256, `Version ${view.seq}`)) {
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
    throw badRequest('Content-MD5', 'The request has more than one Content-MD5 header.', 'Send one.')
  const options = {
    org,
    maxBytes: limits.maxStateBytes,
    ...(declared === undefined ? {} : { declaredBytes: declared }),
    ...(contentMd5 === undefined ? {} : { contentMd5 }),
  }
  return control.states.receive(freeing(received(x), freeBuffers), options, x.caller)
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
