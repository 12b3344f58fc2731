import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import type { Body } from '../bucket.ts'
import { Again, retry, throwIfAborted } from '../retry.ts'
import type { RetryRules } from '../retry.ts'
import { TRANSIENT_STATUSES, transportFailure, unavailable } from './http/failures.ts'
import { shortText, wholeText } from './http/text.ts'
import { openTransport } from './http/transport.ts'

export interface GcsCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** After the bucket's own address: `/o/<name>`. */
  readonly path: string
  readonly query: Readonly<Record<string, string | undefined>>
  readonly upload?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  readonly expects: readonly number[]
  readonly what: string
  readonly retry?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface GcsClient {
  call(call: GcsCall): Promise<IncomingMessage>
  /** What `schema` reads in the answer if its status is 200, else the answer; one that breaks off is asked for again. */
  json<T>(call: GcsCall, schema: z.ZodType<T>): Promise<{ readonly found: T } | IncomingMessage>
  storeTime(): number | undefined
  close(): void
}

/** Undefined: no Authorization header, as emulators want it. */
export type AccessToken = (() => Promise<string>) | undefined

export interface GcsClientOptions {
  readonly bucket: string
  readonly endpoint: string
  readonly label: string
  readonly token: AccessToken
  readonly clock: Clock
  readonly retry: RetryRules
  readonly idleTimeoutMs: number
}

/** The JSON API: https://cloud.google.com/storage/docs/json_api/v1 */
export function openGcsClient(options: GcsClientOptions): GcsClient {
  const { label, clock } = options
  const url = new URL(options.endpoint)
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const transport = openTransport({ secure, hostname, port }, options.idleTimeoutMs)
  const base = url.pathname.replace(/\/+$/, '')
  const bucketPath = `/storage/v1/b/${encodeURIComponent(options.bucket)}`
  let seen: { readonly date: number; readonly at: number } | undefined

  async function attempt(call: GcsCall): Promise<IncomingMessage> {
    const headers: Record<string, string> = { ...call.headers, host: url.host }
    if (options.token !== undefined) headers['authorization'] = `Bearer ${await options.token()}`
    if (call.body !== undefined) headers['content-length'] = String(call.body.size)
    const query = queryString(call.query)
    const target = `${base}${call.upload === true ? '/upload' : ''}${bucketPath}${call.path}${query}`
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
    const status = answer.statusCode ?? 0
    if (call.expects.includes(status)) return answer
    throw failureOf({ status, text: await shortText(answer), label, what: call.what })
  }

  async function attempts<T>(call: GcsCall, read: (answer: IncomingMessage) => T | Promise<T>): Promise<T> {
    throwIfAborted(call.signal)
    const attempts = call.retry === false ? 1 : options.retry.attempts
    return retry({ ...options.retry, attempts, clock, signal: call.signal }, async () =>
      read(await attempt(call)),
    )
  }

  return {
    call: (call) => attempts(call, (answer) => answer),
    json: (call, schema) =>
      attempts(call, async (answer) =>
        answer.statusCode === 200 ? { found: parsed(await wholeText(answer, label), schema, label) } : answer,
      ),
    storeTime: () => (seen === undefined ? undefined : seen.date + (clock.now() - seen.at)),
    close: () => transport.close(),
  }
}

function queryString(query: GcsCall['query']): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function parsed<T>(text: string, schema: z.ZodType<T>, label: string): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new TacoError('UNEXPECTED', `${label} gave an answer that cannot be read`, { cause: error })
  }
}

const ErrorDocument = z.object({ error: z.object({ message: z.string() }) })

interface Refusal {
  readonly status: number
  readonly text: string
  readonly label: string
  readonly what: string
}

function failureOf({ status, text, label, what }: Refusal): Error {
  const facts = { status, bucket: label }
  const said = `${what}: ${label} answered ${status}`
  if (TRANSIENT_STATUSES.has(status))
    return new Again(unavailable(label, `${what}: it answered ${status}`, facts))
  if (status === 401 || status === 403) {
    const hint =
      'Give this account the role Storage Object User on the bucket, or sign in (gcloud auth application-default login).'
    return new TacoError('BUCKET_REFUSED', said, { hint, facts })
  }
  if (status === 404) return noSuchBucket(label)
  const detail = messageIn(text)
  return new TacoError('UNEXPECTED', detail === undefined ? said : `${said}: ${detail}`, { facts })
}

export function noSuchBucket(label: string): TacoError {
  return new TacoError('BUCKET_REFUSED', `${label} does not exist`, {
    hint: 'Create the bucket first, or correct its name.',
    facts: { bucket: label },
  })
}

export function messageIn(text: string): string | undefined {
  try {
    return ErrorDocument.safeParse(JSON.parse(text)).data?.error.message.slice(0, 200)
  } catch {
    return undefined
  }
}
