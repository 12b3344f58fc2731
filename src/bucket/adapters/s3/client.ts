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

export interface S3Client {
  call(call: S3Call): Promise<IncomingMessage>
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
  let seen: { readonly date: number; readonly at: number } | undefined

  async function attempt(call: S3Call, payloadHash: string): Promise<IncomingMessage> {
    const path = call.key === undefined ? address.base || '/' : `${address.base}/${escapePath(call.key)}`
    const query = call.query === undefined ? '' : queryString(call.query)
    const at = credentials.current()
    const headers = sign(
      { method: call.method, path, query, headers: { ...call.headers, host: address.host }, payloadHash },
      at instanceof Promise ? await at : at,
      clock.now(),
    )
    if (call.body !== undefined) headers['content-length'] = String(call.body.size)
    const target = query === '' ? path : `${path}?${query}`
    let answer: IncomingMessage
    try {
      answer = await transport.send({
        method: call.method,
        target,
        headers,
        body: call.body,
        signal: call.signal,
      })
    } catch (error) {
      throw transportFailure(error, label)
    }
    const { date } = answer.headers
    if (date !== undefined) seen = { date: Date.parse(date), at: clock.now() }
    if (call.expects.includes(answer.statusCode ?? 0)) return answer
    throw await refusalOf(answer, call)
  }

  async function refusalOf(answer: IncomingMessage, call: S3Call): Promise<Error> {
    const document = readError(await shortText(answer))
    if (document.code === 'ExpiredToken' && credentials.forget()) {
      return new Again(failureOf({ ...refusal(answer.headers), ...document }))
    }
    if (answer.statusCode === 409 && retriedConflicts.has(document.code ?? ''))
      return new Again(new UndecidedConflict())
    return failureOf({ ...refusal(answer.headers), ...document })

    function refusal(headers: IncomingHttpHeaders) {
      const seconds = Number(headers['retry-after'])
      const region = headers['x-amz-bucket-region']
      return {
        status: answer.statusCode ?? 0,
        label,
        what: call.what,
        bucketRegion: typeof region === 'string' && region !== options.region ? region : undefined,
        retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
      }
    }
  }

  async function attempts<T>(call: S3Call, read: (answer: IncomingMessage) => T | Promise<T>): Promise<T> {
    throwIfAborted(call.signal)
    const payloadHash = await hashOf(call.body, options.signsBodies)
    const attempts = call.retry === false ? 1 : rules.attempts
    return retry({ ...rules, attempts, clock, signal: call.signal }, async () =>
      read(await attempt(call, payloadHash)),
    )
  }

  return {
    call: (call) => attempts(call, (answer) => answer),
    text: (call) => attempts(call, (answer) => wholeText(answer, label)),
    storeTime: () => (seen === undefined ? undefined : seen.date + (clock.now() - seen.at)),
    close: () => transport.close(),
  }
}

const retriedConflicts = new Set(['ConditionalRequestConflict', 'OperationAborted'])

/** Another write to the same key was under way, every time: who won is not known. */
export class UndecidedConflict extends Error {}

async function hashOf(body: Body | undefined, signsBodies: boolean): Promise<string> {
  if (body === undefined) return EMPTY_HASH
  if (!signsBodies) return UNSIGNED_PAYLOAD
  if (body.bytes !== undefined) return sha256(body.bytes)
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
