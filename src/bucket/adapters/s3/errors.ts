import { TacoError } from '../../../base/errors.ts'
import { Again } from '../../../base/retry.ts'
import { notTheStore, TRANSIENT_STATUSES, unavailable } from '../rest-client/failures.ts'
import type { ErrorDocument } from './xml.ts'

export interface Refusal extends ErrorDocument {
  readonly status: number
  readonly label: string
  readonly what: string
  /** The region in which the bucket is, according to the store. */
  readonly bucketRegion: string | undefined
  readonly retryAfterMs: number | undefined
}

const TRANSIENT_CODES = new Set([
  'RequestTimeout',
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'Throttling',
  'ThrottlingException',
  'RequestThrottled',
  'TooManyRequests',
])

/** What a status that is no answer becomes; the text of the answer holds no secrets but is kept short. */
export function failureOf(refusal: Refusal): Error {
  const { status, code, label, what } = refusal
  const facts = { status, code, bucket: label }
  const said = `${status}${code === undefined ? '' : ` ${code}`}`
  if (TRANSIENT_STATUSES.has(status) || (code !== undefined && TRANSIENT_CODES.has(code))) {
    return new Again(unavailable(label, `it answered ${said} while ${what}`, facts), refusal.retryAfterMs)
  }
  const region = refusal.bucketRegion ?? refusal.region
  if (region !== undefined && (status === 301 || status === 307 || status === 400)) {
    return new TacoError('BUCKET_REFUSED', `The bucket ${label} is in the region ${region}.`, {
      hint: `Add region=${region} to the bucket's address, or set AWS_REGION=${region}.`,
      facts: { ...facts, region },
    })
  }
  if (hints[code ?? ''] !== undefined || status === 301 || status === 401 || status === 403) {
    return new TacoError('BUCKET_REFUSED', `The bucket ${label} answered ${said} while ${what}.`, {
      hint: hints[code ?? ''] ?? hints['AccessDenied'] ?? '',
      facts,
    })
  }
  if (status < 400 && code === undefined) return notTheStore(label, what, status)
  const detail = refusal.message === undefined ? '' : `: ${refusal.message.slice(0, 200).replace(/\.$/, '')}`
  return new TacoError('UNEXPECTED', `The bucket ${label} answered ${said} while ${what}${detail}.`, {
    facts,
  })
}

const hints: Readonly<Record<string, string>> = {
  AccessDenied:
    'Allow these credentials s3:GetObject, s3:PutObject and s3:DeleteObject on the objects and s3:ListBucket on the bucket. With KMS, also allow kms:GenerateDataKey and kms:Decrypt.',
  NoSuchBucket: 'Create the bucket first, or correct its name, region or endpoint.',
  InvalidAccessKeyId: 'The store does not know this access key. Check AWS_ACCESS_KEY_ID and the endpoint.',
  SignatureDoesNotMatch:
    'Check AWS_SECRET_ACCESS_KEY and the region. A proxy that changes requests also causes this.',
  RequestTimeTooSkewed:
    "The clocks of this machine and the store differ too much. Set this machine's clock, for example with NTP.",
  ExpiredToken: 'The session has expired. Sign in again, for example with aws sso login.',
  InvalidToken: 'The session token does not belong to this access key. Check AWS_SESSION_TOKEN.',
}
