import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Clock } from '../../../base/clock.ts'
import { TacoError } from '../../../base/errors.ts'
import type { Body } from '../../bucket.ts'
import { Again, retry, storeRetry, throwIfAborted } from '../../retry.ts'
import type { RetryRules } from '../../retry.ts'
import { transportFailure } from '../http/failures.ts'
import { shortText, wholeText } from '../http/text.ts'
import { openTransport } from '../http/transport.ts'
import type { S3Address } from './address.ts'
import type { CredentialSource } from './credentials.ts'
import { failureOf } from './errors.ts'
import type { Credentials } from './signer.ts'
import { createSigner, EMPTY_HASH, escapePath, queryString, sha256, UNSIGNED_PAYLOAD } from './signer.ts'
import { readError } from './xml.ts'

export interface S3Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** The whole key; none for the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  /** Statuses that are answers; every other one is a failure. */
  readonly expects: readonly number[]
  /** For messages. */
  readonly what: string
  readonly retry?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** An answer of which only the head matters, or a short text. */
export interface ShortAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As much as is worth reading. */
  readonly text: string
}

export interface S3Client {
  /** For an answer with an object in it. */
  call(call: S3Call): Promise<IncomingMessage>
  /** For every other answer. */
  ask(call: S3Call): Promise<ShortAnswer>
  /** The same, with the text of the answer; one that breaks off is asked for again. */
  text(call: S3Call): Promise<string>
  /** By the Date header of the last answer. */
  storeTime(): number | undefined
  close(): void
}

export interface S3ClientOptions {
  readonly address: S3Address
  readonly region: string
  readonly label: string
  readonly credentials: CredentialSource
  readonly clock: Clock
  readonly retry?: RetryRules | undefined
  readonly idleTimeoutMs: number
  /** Whether the signature covers the bytes of a body, which then are read once more. */
  readonly signsBodies: boolean
}

/** Signs, sends, retries, and turns every status that is no answer into an error. */
export function openS3Client(options: S3ClientOptions): S3Client {
  const { address, label, clock, credentials } = options
  const sign = createSigner(options.region)
  const transport = openTransport(address, options.idleTimeoutMs)
  const rules = options.retry ?? storeRetry
  let seen: { readonly text: string; readonly date: number; readonly at: number } | undefined

  function signed(call: S3Call, payloadHash: string, keys: Credentials) {
    const path = call.key === undefined ? address.base || '/' : `${address.base}/${escapePath(call.key)}`
    const query = call.query === undefined ? '' : queryString(call.query)
    const headers = sign(
      { method: call.method, path, query, headers: { ...call.headers, host: address.host }, payloadHash },
      keys,
      clock.now(),
    )
    if (call.body !== undefined) headers['content-length'] = String(call.body.size)
    const { method, signal } = call
    return { method, target: query === '' ? path : `${path}?${query}`, headers, signal }
  }

  async function attempt(call: S3Call, payloadHash: string): Promise<IncomingMessage> {
    const keys = credentials.current()
    const request = signed(call, payloadHash, keys instanceof Promise ? await keys : keys)
    let answer: IncomingMessage
    try {
      answer = await transport.send({ ...request, body: call.body })
    } catch (error) {
      throw transportFailure(error, label)
    }
    noteDate(answer.headers.date)
    if (call.expects.includes(answer.statusCode ?? 0)) return answer
    throw refusalOf(await shortened(answer), call)
  }

  function noteDate(date: string | undefined): void {
    // One a second: reading it costs as much as signing the request.
    if (date !== undefined && date !== seen?.text)
      seen = { text: date, date: Date.parse(date), at: clock.now() }
  }

  function refusalOf(answer: ShortAnswer, call: S3Call): Error {
    const document = readError(answer.text)
    const seconds = Number(answer.headers['retry-after'])
    const region = answer.headers['x-amz-bucket-region']
    const failure = failureOf({
      status: answer.status,
      label,
      what: call.what,
      bucketRegion: typeof region === 'string' && region !== options.region ? region : undefined,
      retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
      ...document,
    })
    if (document.code === 'ExpiredToken' && credentials.forget()) return new Again(failure)
    if (answer.status === 409 && retriedConflicts.has(document.code ?? ''))
      return new Again(new UndecidedConflict())
    return failure
  }

  const patient = { ...rules, clock }

  async function attempts<T>(
    call: S3Call,
    attemptOnce: (call: S3Call, payloadHash: string) => Promise<T>,
  ): Promise<T> {
    throwIfAborted(call.signal)
    const hash = hashOf(call.body, options.signsBodies)
    const payloadHash = typeof hash === 'string' ? hash : await hash
    const { signal } = call
    const how = call.retry === false ? { ...patient, attempts: 1, signal } : { ...patient, signal }
    return retry(how, () => attemptOnce(call, payloadHash))
  }

  return {
    call: (call) => attempts(call, attempt),
    ask: (call) => attempts(call, async (...args) => shortened(await attempt(...args))),
    text: (call) => attempts(call, async (...args) => wholeText(await attempt(...args), label)),
    storeTime: () => (seen === undefined ? undefined : seen.date + (clock.now() - seen.at)),
    close: () => transport.close(),
  }
}

const retriedConflicts = new Set(['ConditionalRequestConflict', 'OperationAborted'])

/** Another write to the same key was under way, every time: who won is not known. */
export class UndecidedConflict extends Error {}

async function shortened(answer: IncomingMessage): Promise<ShortAnswer> {
  const { statusCode: status = 0, headers } = answer
  if (status >= 300) return { status, headers, text: await shortText(answer) }
  answer.resume()
  return { status, headers, text: '' }
}

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
    throw new TacoError('UNEXPECTED', `a body of ${body.size} bytes was announced, ${size} came`)
  }
  return hash.digest('hex')
}
