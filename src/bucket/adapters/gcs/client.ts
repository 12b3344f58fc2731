import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { TacoError } from '../../../base/errors.ts'
import type { Body } from '../../bucket.ts'
import { Again } from '../../../base/retry.ts'
import { openExchange } from '../rest-client/exchange.ts'
import type { Asked, ExchangeOptions } from '../rest-client/exchange.ts'
import { notTheStore, pauseIn, TRANSIENT_STATUSES, unavailable } from '../rest-client/failures.ts'
import { wholeText } from '../rest-client/text.ts'
import type { ShortAnswer } from '../rest-client/text.ts'
import { addressOf } from '../rest-client/transport.ts'

export interface GcsCall extends Asked {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** After the bucket's own address: `/o/<name>`. */
  readonly path: string
  readonly query: Readonly<Record<string, string | undefined>>
  readonly upload?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
}

export interface GcsClient {
  call(call: GcsCall): Promise<IncomingMessage>
  /** What `schema` reads from an answer with status 200, otherwise the answer. A broken answer is requested again. */
  json<T>(call: GcsCall, schema: z.ZodType<T>): Promise<{ readonly found: T } | IncomingMessage>
  storeTime(): number | undefined
  close(): void
}

/** Undefined: no Authorization header, as emulators want it. */
export type AccessToken = (() => Promise<string>) | undefined

export interface GcsClientOptions extends Omit<ExchangeOptions, 'address'> {
  readonly bucket: string
  readonly endpoint: string
  readonly token: AccessToken
}

/** The JSON API: https://cloud.google.com/storage/docs/json_api/v1 */
export function openGcsClient(options: GcsClientOptions): GcsClient {
  const { label } = options
  const url = new URL(options.endpoint)
  const exchange = openExchange<GcsCall>({ ...options, address: addressOf(url) }, (answer, { what }) =>
    failureOf({ ...answer, label, what }),
  )
  const base = url.pathname.replace(/\/+$/, '')
  const bucketPath = `/storage/v1/b/${encodeURIComponent(options.bucket)}`

  async function attempt(call: GcsCall): Promise<IncomingMessage> {
    const headers: Record<string, string> = { ...call.headers, host: url.host }
    if (options.token !== undefined) headers['authorization'] = `Bearer ${await options.token()}`
    if (call.body !== undefined) headers['content-length'] = String(call.body.size)
    const { method, body, signal } = call
    const upload = call.upload === true ? '/upload' : ''
    const target = `${base}${upload}${bucketPath}${call.path}${queryString(call.query)}`
    return exchange.send({ method, target, headers, body, signal }, call)
  }

  return {
    call: (call) => exchange.attempts(call, () => attempt(call)),
    json: (call, schema) =>
      exchange.attempts(call, async () => {
        const answer = await attempt(call)
        if (answer.statusCode !== 200) return answer
        return { found: parsed(await wholeText(answer, label), schema, label) }
      }),
    storeTime: () => exchange.storeTime(),
    close: () => exchange.close(),
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
    throw unavailable(label, 'its answer cannot be read', {}, error)
  }
}

const ErrorDocument = z.object({
  error: z.object({
    code: z.number().optional(),
    message: z.string(),
    errors: z.array(z.object({ reason: z.string() })).default([]),
  }),
})

interface Refusal extends ShortAnswer {
  readonly label: string
  readonly what: string
}

function failureOf(refusal: Refusal): Error {
  const { status, headers, text, label, what } = refusal
  const facts = { status, bucket: label }
  const said = `The bucket ${label} answered ${status} while ${what}`
  if (TRANSIENT_STATUSES.has(status))
    return new Again(
      unavailable(label, `it answered ${status} while ${what}`, facts),
      pauseIn(headers['retry-after']),
    )
  if (status === 401 || status === 403) {
    const hint =
      'Give this account the role Storage Object User on the bucket, or sign in (gcloud auth application-default login).'
    return new TacoError('BUCKET_REFUSED', `${said}.`, { hint, facts })
  }
  if (status === 404) return isOwn(refusal) ? noSuchBucket(label) : notTheStore(label, what, status)
  if (status < 400 && !isOwn(refusal)) return notTheStore(label, what, status)
  const detail = messageIn(text)
  return new TacoError(
    'UNEXPECTED',
    `${said}${detail === undefined ? '' : `: ${detail.replace(/\.$/, '')}`}.`,
    { facts },
  )
}

export function noSuchBucket(label: string): TacoError {
  return new TacoError('BUCKET_REFUSED', `The bucket ${label} does not exist.`, {
    hint: 'Create the bucket first, or correct its name.',
    facts: { bucket: label },
  })
}

/**
 * True if the answer is the store's own: it has the id that Google puts on its answers, or the document of a refusal.
 * https://cloud.google.com/storage/docs/json_api/v1/status-codes
 */
export function isOwn({ status, headers, text }: ShortAnswer): boolean {
  if (headers['x-guploader-uploadid'] !== undefined) return true
  const error = errorIn(text)
  return error?.code === status && error.errors.length > 0
}

function messageIn(text: string): string | undefined {
  return errorIn(text)?.message.slice(0, 200)
}

function errorIn(text: string): z.infer<typeof ErrorDocument>['error'] | undefined {
  try {
    return ErrorDocument.safeParse(JSON.parse(text)).data?.error
  } catch {
    return undefined
  }
}
