import { type ErrorCode, TacoError } from '../../../base/errors.ts'
import type { Exchange } from '../kit/exchange.ts'
import type { RenderedError } from '../kit/response/http-error.ts'
import { problemOf, problems } from '../kit/response/problem.ts'
import { s3CodeOf } from './s3-error.ts'
import { xmlDocument } from './xml.ts'

/**
 * Statuses that mean something else to S3 clients than to others: they ask nobody to sign in (401), and know no locks
 * (423). 404 is left to what is really missing, because to engines it means "no state yet".
 */
const AS_S3: Partial<Readonly<Record<ErrorCode, readonly [status: number, code: string]>>> = {
  UNAUTHENTICATED: [403, 'AccessDenied'],
  FORBIDDEN: [403, 'AccessDenied'],
  LOCKED: [409, 'OperationAborted'],
  LOCK_MISMATCH: [409, 'OperationAborted'],
  NOT_LOCKED: [409, 'OperationAborted'],
  CONFLICT: [409, 'OperationAborted'],
  PRECONDITION_FAILED: [412, 'PreconditionFailed'],
  TOO_LARGE: [400, 'EntityTooLarge'],
  STATE_DIGEST: [400, 'BadDigest'],
  STATE_TRUNCATED: [400, 'IncompleteBody'],
  RATE_LIMITED: [503, 'SlowDown'],
  BUCKET_UNAVAILABLE: [503, 'ServiceUnavailable'],
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export function s3Errors(error: unknown, requestId: string, x?: Exchange): RenderedError {
  const { headers } = problems(error, requestId)
  const problem = problemOf(error, requestId)
  const [status, code] = statusOf(error, problem.status, x)
  const message = isHiding(error, x)
    ? `You have no permission for ${x?.action ?? 'this'} on ${resourceOf(x)}.`
    : withoutIds([problem.detail, problem.hint].filter((part) => part !== undefined).join(' '), x)
  const { 'www-authenticate': _, ...others } = headers
  return {
    status,
    headers: { ...others, 'content-type': 'application/xml' },
    body: xmlDocument('Error', {
      Code: code,
      Message: message,
      Resource: resourceOf(x),
      RequestId: requestId,
    }),
  }
}

function statusOf(error: unknown, status: number, x: Exchange | undefined): readonly [number, string] {
  const named = s3CodeOf(error)
  if (named !== undefined) return [status === 401 ? 403 : status, named]
  const code = error instanceof TacoError ? error.code : 'UNEXPECTED'
  const known = AS_S3[code]
  if (known !== undefined) return known
  if (code === 'NOT_FOUND') return missing(error, x)
  if (status === 405) return [405, 'MethodNotAllowed']
  if (status >= 500) return [status, 'InternalError']
  return [status, status === 400 ? 'InvalidRequest' : 'OperationAborted']
}

/**
 * An answer to HEAD has no body, so a client cannot tell a missing organization from a missing state: only the address
 * of the organization itself says 404.
 */
function missing(error: unknown, x: Exchange | undefined): readonly [number, string] {
  const isOrg = error instanceof TacoError && error.facts['field'] === 'org'
  if (!isOrg) return [404, 'NoSuchKey']
  return isOfObject(x) ? [403, 'AccessDenied'] : [404, 'NoSuchBucket']
}

/** The target was found by its key, so the words of a denial could tell whether there is a unit. */
function isHiding(error: unknown, x: Exchange | undefined): boolean {
  if (x?.isDenied !== true || !(error instanceof TacoError)) return false
  return error.code === 'FORBIDDEN' && error.facts['isGuarded'] !== true
}

/** Handlers know a unit by its id, and clients know it by its key. */
function withoutIds(message: string, x: Exchange | undefined): string {
  const [, key = ''] = /^\/[^/]*\/(.+?)(?:\.tflock)?$/.exec(resourceOf(x)) ?? []
  return key === '' ? message : message.replaceAll(/\bws-[0-9A-Za-z]{16}\b/g, () => key)
}

function isOfObject(x: Exchange | undefined): boolean {
  return /^\/s3\/[^/]+\/./.test(x?.path ?? '')
}

/** `/<organization>/<key>`, as S3 writes it. */
function resourceOf(x: Exchange | undefined): string {
  const path = (x?.path ?? '').replace(/^\/s3(?=\/|$)/, '')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
