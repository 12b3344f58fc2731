import type { OutgoingHttpHeaders } from 'node:http'
import { TacoError, isTacoError } from '../../../base/errors.ts'
import { type Found, type KeyedUnit, changedMeanwhile } from '../../../state/index.ts'
import { checkReceiptWanted } from '../auth/cross-site.ts'
import { consumerNotFound } from '../kit/consumer.ts'
import { defined } from '../kit/drop-undefined.ts'
import type { Exchange } from '../kit/exchange.ts'
import { freeing } from '../kit/freeing.ts'
import { tooLarge } from '../kit/request/receive.ts'
import { etagOf, expectedBy, isUnchanged } from '../kit/response/etag.ts'
import { send, writeHead } from '../kit/response/respond.ts'
import { sendBytes } from '../kit/response/send-bytes.ts'
import type { S3Services } from './define.ts'
import { chunkKeyOf } from './identify.ts'
import { lockUnder, unitOf } from './locks.ts'
import { type Payload, payloadOf } from './payload.ts'
import { s3Error } from './s3-error.ts'

/** `consumer`: the unit on whose behalf the state is read. */
export async function readState(
  x: Exchange,
  target: KeyedUnit,
  { control }: S3Services,
  consumer: string | undefined,
): Promise<void> {
  const { headers: asked } = x.req
  if (consumer !== undefined) checkReceiptWanted(asked)
  const range = rangeOf(asked.range)
  const options = { signal: x.signal, ...defined({ consumer, range }) }
  const reading = control.states.read(target, options, x.caller)
  const found = await (consumer === undefined ? reading : reading.catch(consumerNotFound))
  if (found === undefined || found === 'unchanged' || target.isNew) {
    if (found !== undefined && found !== 'unchanged') found.discard()
    await checkUnmoved(target, control, found !== undefined)
    throw new TacoError('NOT_FOUND', `There is no state at ${target.key}.`, {
      hint: 'The first apply creates it.',
    })
  }
  let isSent = false
  try {
    if (isUnchanged(asked, found.tag, `The state at ${target.key}`)) {
      writeHead(x, 304, { etag: etagOf(found.tag) })
      x.res.end()
      return
    }
    isSent = true
    await sendState(x, found, range)
  } finally {
    if (!isSent) found.discard()
  }
}

/** What was authorized is the unit that had the key then. "No state" must not be said of another one. */
async function checkUnmoved(
  target: KeyedUnit,
  control: S3Services['control'],
  isFound: boolean,
): Promise<void> {
  const now = await control.keys.find(target)
  if (now.unit === target.unit && !isFound) return target.isNew ? control.keys.checkAbsent(target) : undefined
  throw new TacoError('BUCKET_UNAVAILABLE', `The unit at ${target.key} was moved at this moment.`, {
    hint: 'Try again.',
  })
}

async function sendState(x: Exchange, found: Found, range: Range | undefined): Promise<void> {
  const { size, tag, modifiedAt } = found
  const headers: OutgoingHttpHeaders = {
    ...x.style.headers,
    'content-type': 'application/json',
    'content-length': size,
    'accept-ranges': 'bytes',
    'last-modified': new Date(modifiedAt).toUTCString(),
    etag: etagOf(tag),
    'x-request-id': x.requestId,
    'x-amz-request-id': x.requestId,
  }
  const start = range?.start ?? 0
  if (start >= size) {
    found.discard()
    throw s3Error('InvalidRange', `The state has ${size} bytes.`)
  }
  const end = Math.min(range?.end ?? size - 1, size - 1)
  const status = range === undefined ? 200 : 206
  if (range !== undefined) headers['content-range'] = `bytes ${start}-${end}/${size}`
  const length = end - start + 1
  if (x.method === 'HEAD') {
    found.discard()
    x.res.writeHead(status, { ...headers, 'content-length': length })
    x.res.end()
    return
  }
  const part = { size: length, bytes: () => found.bytes(), stream: () => found.stream() }
  await sendBytes(x, part, headers, status)
}

interface Range {
  readonly start: number
  readonly end: number
}

/** One range from a start; every other form may be ignored, and the whole is sent then. */
function rangeOf(header: string | undefined): Range | undefined {
  const [, start, end] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (start === undefined) return undefined
  const range = { start: Number(start), end: end ? Number(end) : Number.MAX_SAFE_INTEGER }
  return range.end < range.start ? undefined : range
}

export async function writeState(x: Exchange, target: KeyedUnit, services: S3Services): Promise<void> {
  const { tag } = await storeState(x, target, services, payloadOf(x, chunkKeyOf(x)))
  const headers = { etag: etagOf(tag), 'x-amz-request-id': x.requestId }
  send(x, 200, Buffer.alloc(0), headers, services.limits)
}

/** Takes a state in and writes it as the door of every other backend does. */
export async function storeState(
  x: Exchange,
  target: KeyedUnit,
  { control, limits, freeBuffers }: S3Services,
  { bytes, declaredBytes, contentMd5 }: Payload,
): Promise<{ readonly tag: string; readonly version: string }> {
  const expected = expectedBy(x.req.headers)
  if (declaredBytes !== undefined && declaredBytes > limits.maxStateBytes)
    throw tooLarge(limits.maxStateBytes)
  const { org } = target
  const options = { org, maxBytes: limits.maxStateBytes, ...defined({ declaredBytes, contentMd5 }) }
  const state = await control.states.receive(freeing(bytes, freeBuffers), options, x.caller)
  try {
    if (target.isNew && expected !== undefined && expected !== 'none')
      throw changedMeanwhile(`The state at ${target.key}`)
    const ref = await unitOf(x, target, control)
    const lockId = await lockUnder(ref, x, control)
    const written = await control.states.write(
      ref,
      state,
      { how: 'backend', ...defined({ lockId, expected }) },
      x.caller,
    )
    // Another write may be the current one already: its tag is not ours.
    return { tag: (await control.keys.tagOf(ref, written.id)) ?? written.sha256, version: written.id }
  } finally {
    await state.dispose()
  }
}

/** The history stays. What is gone is gone: a replay must succeed. */
export async function deleteState(x: Exchange, target: KeyedUnit, services: S3Services): Promise<void> {
  const { control, limits } = services
  if (!target.isNew) {
    try {
      const lockId = await lockUnder(target, x, control)
      const expected = expectedBy(x.req.headers)
      await control.states.remove(target, { force: false, ...defined({ lockId, expected }) }, x.caller)
    } catch (error) {
      if (!isTacoError(error, 'NOT_FOUND')) throw error
    }
  }
  send(x, 204, undefined, { 'x-amz-request-id': x.requestId }, limits)
}
