import { TacoError, reasonOf } from '../../../base/errors.ts'
import { Again } from '../../../base/retry.ts'
import { BodyFailure } from './transport.ts'

/** The store is busy, restarting, or its answer was late. */
export const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/** How many milliseconds the store wants us to wait, from its Retry-After header. */
export function pauseIn(retryAfter: string | undefined): number | undefined {
  const seconds = Number(retryAfter)
  return seconds > 0 ? seconds * 1000 : undefined
}

const LOST_CONNECTION = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_STREAM_PREMATURE_CLOSE',
])

export function unavailable(
  label: string,
  why: string,
  facts: Record<string, unknown> = {},
  cause?: unknown,
): TacoError {
  return new TacoError('BUCKET_UNAVAILABLE', `The bucket ${label} is unavailable: ${why}.`, {
    hint: 'Try again in a moment. If it keeps failing, check the storage and the network.',
    facts: { ...facts, bucket: label },
    cause,
  })
}

/** An unknown size must not pass for zero: an empty object means "no state". */
export function unsized(label: string, key: string): TacoError {
  return unavailable(label, `it does not report the size of "${key}"`)
}

/** Every store sends one. An answer without it comes from someone else, for example a proxy. */
export function untagged(label: string, key: string): TacoError {
  return unavailable(label, `it returned no tag for "${key}"`)
}

/** Put together with others, or taken for the whole, they would be a state that never was. */
export function otherBytes(label: string, key: string): TacoError {
  return unavailable(label, `it returned the wrong bytes of "${key}"`)
}

/** Proxies also answer 404 before they know where the store is, and portals answer every request with a page. */
export function notTheStore(label: string, what: string, status: number): TacoError {
  return unavailable(label, `something other than the store answered ${status} while ${what}`, { status })
}

/** Errors of sockets, names and TLS. Only lost connections are retried. */
export function transportFailure(error: unknown, label: string): Error {
  if (error instanceof BodyFailure) return bodyError(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = reasonOf(error)
  const why = message === '' || message.includes(code) ? message || code : `${message} (${code})`
  const failure = unavailable(label, why, { code }, error)
  return LOST_CONNECTION.has(code) || code === '' ? new Again(failure) : failure
}

/** The caller's own error is passed on unchanged. */
function bodyError(failure: BodyFailure): Error {
  if (failure.cause instanceof Error) return failure.cause
  return new TacoError('UNEXPECTED', failure.message, { cause: failure.cause })
}
