import { type ErrorCode, TacoError } from '../../../base/errors.ts'
import { HttpError } from '../kit/response/http-error.ts'

/** The codes of S3 that say more than those of OpenTaco: clients compare them. */
export type S3Code =
  | 'AccessDenied'
  | 'AuthorizationHeaderMalformed'
  | 'BadDigest'
  | 'ExpiredToken'
  | 'IncompleteBody'
  | 'InvalidAccessKeyId'
  | 'InvalidArgument'
  | 'InvalidDigest'
  | 'InvalidPart'
  | 'InvalidRange'
  | 'InvalidRequest'
  | 'MalformedXML'
  | 'MissingContentLength'
  | 'NoSuchUpload'
  | 'NotImplemented'
  | 'PreconditionFailed'
  | 'RequestTimeTooSkewed'
  | 'SignatureDoesNotMatch'
  | 'XAmzContentSHA256Mismatch'

const STATUS: Partial<Readonly<Record<S3Code, number>>> = {
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  ExpiredToken: 403,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  NoSuchUpload: 404,
  MissingContentLength: 411,
  PreconditionFailed: 412,
  InvalidRange: 416,
  NotImplemented: 501,
}

/** `code`: for the log, the audit and metrics, as for every other face. */
export function s3Error(
  s3: S3Code,
  message: string,
  options: { readonly code?: ErrorCode; readonly hint?: string; readonly cause?: unknown } = {},
): HttpError {
  const { code = 'BAD_REQUEST', hint, cause } = options
  return new HttpError(STATUS[s3] ?? 400, code, message, {
    facts: { s3 },
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  })
}

export function s3CodeOf(error: unknown): string | undefined {
  const code = error instanceof TacoError ? error.facts['s3'] : undefined
  return typeof code === 'string' ? code : undefined
}
