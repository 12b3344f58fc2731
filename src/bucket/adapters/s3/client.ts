import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TacoError } from '../../../base/errors.ts'
import type { Body } from '../../bucket.ts'
import { Again, throwIfAborted } from '../../../base/retry.ts'
import { openExchange } from '../rest-client/exchange.ts'
import type { Asked, ExchangeOptions } from '../rest-client/exchange.ts'
import { pauseIn } from '../rest-client/failures.ts'
import { shortened, wholeText } from '../rest-client/text.ts'
import type { ShortAnswer } from '../rest-client/text.ts'
import type { S3Address } from './address.ts'
import type { CredentialSource } from './credentials.ts'
import { failureOf } from './errors.ts'
import type { Credentials } from './signer.ts'
import { createSigner, EMPTY_HASH, escapePath, queryString, sha256, UNSIGNED_PAYLOAD } from './signer.ts'
import { readError } from './xml.ts'

export interface S3Call extends Asked {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** The whole key; none for the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
}

export interface S3Client {
  /** For an answer with an object in it. */
  call(call: S3Call): Promise<IncomingMessage>
  /** For every other answer. */
  ask(call: S3Call): Promise<ShortAnswer>
  /** The same, with the text of the answer. A broken one is requested again. */
  text(call: S3Call): Promise<string>
  /** By the Date header of the last answer. */
  storeTime(): number | undefined
  close(): void
}

export interface S3ClientOptions extends ExchangeOptions {
  readonly address: S3Address
  readonly region: string
  readonly credentials: CredentialSource
  /** Whether the signature covers the bytes of a body, which then are read once more. */
  readonly signsBodies: boolean
}

/** Signs, sends, retries, and turns every status that is no answer into an error. */
export function openS3Client(options: S3ClientOptions): S3Client {
  const { address, label, clock, credentials } = options
  const sign = createSigner(options.region)
  const exchange = openExchange(options, refusalOf)

  function signed(call: S3Call, payloadHash: string, keys: Credentials) {
    const path = call.key === undefined ? address.base || '/' : `${address.base}/${escapePath(call.key)}`
    const query = call.query === undefined ? '' : queryString(call.query)
    const headers = sign(
      { method: call.method, path, query, headers: { ...call.headers, host: address.host }, payloadHash },
      keys,
      clock.now(),
    )
    if (call.body !== undefined) headers['content-length'] = String(call.body.size)
    const { method, body, signal } = call
    return { method, target: query === '' ? path : `${path}?${query}`, headers, body, signal }
  }

  function attempt(call: S3Call, payloadHash: string): Promise<IncomingMessage> {
    const send = (keys: Credentials) => exchange.send(signed(call, payloadHash, keys), call)
    const keys = credentials.current()
    return keys instanceof Promise ? keys.then(send) : send(keys)
  }

  function refusalOf(answer: ShortAnswer, call: S3Call): Error {
    const document = readError(answer.text)
    const region = answer.headers['x-amz-bucket-region']
    const failure = failureOf({
      status: answer.status,
      label,
      what: call.what,
      bucketRegion: typeof region === 'string' && region !== options.region ? region : undefined,
      retryAfterMs: pauseIn(answer.headers['retry-after']),
      ...document,
    })
    if (document.code === 'ExpiredToken' && credentials.forget()) return new Again(failure)
    if (answer.status === 409 && retriedConflicts.has(document.code ?? ''))
      return new Again(new UndecidedConflict())
    return failure
  }

  async function attempts<T>(
    call: S3Call,
    attemptOnce: (call: S3Call, payloadHash: string) => Promise<T>,
  ): Promise<T> {
    throwIfAborted(call.signal)
    const hash = hashOf(call.body, options.signsBodies)
    const payloadHash = typeof hash === 'string' ? hash : await hash
    return exchange.attempts(call, () => attemptOnce(call, payloadHash))
  }

  return {
    call: (call) => attempts(call, attempt),
    ask: (call) => attempts(call, async (...args) => shortened(await attempt(...args))),
    text: (call) => attempts(call, async (...args) => wholeText(await attempt(...args), label)),
    storeTime: () => exchange.storeTime(),
    close: () => exchange.close(),
  }
}

const retriedConflicts = new Set(['ConditionalRequestConflict', 'OperationAborted'])

/** Another write to the same key was under way every time, so the winner is unknown. */
export class UndecidedConflict extends Error {}

function hashOf(body: Body | undefined, signsBodies: boolean): string | Promise<string> {
  if (body === undefined) return EMPTY_HASH
  if (!signsBodies) return UNSIGNED_PAYLOAD
  if (body.sha256 !== undefined) return body.sha256
  return body.bytes === undefined ? hashOfStream(body) : sha256(body.bytes)
}

async function hashOfStream(body: Body): Promise<string> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of body.stream()) {
    hash.update(part)
    size += part.byteLength
  }
  if (size !== body.size) {
    throw new TacoError('UNEXPECTED', `The body should have ${body.size} bytes but has ${size}.`)
  }
  return hash.digest('hex')
}
