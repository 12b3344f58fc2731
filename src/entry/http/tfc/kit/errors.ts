import { TacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { HttpError, type RenderedError } from '../../kit/response/http-error.ts'
import { problemOf, problems } from '../../kit/response/problem.ts'
import { JSON_API_TYPE } from '../../kit/response/reply.ts'

interface ApiError {
  /** Clients decode text here, never a number. */
  readonly status: string
  /** Lower case: clients search it for words. */
  readonly title: string
  readonly detail?: string
  readonly source?: { readonly pointer: string }
}

/** Errors as JSON:API error objects, with the statuses and words that the command lines turn into good messages. */
export function jsonApiErrors(error: unknown, requestId: string, x?: Exchange): RenderedError {
  const { headers } = problems(error, requestId)
  const rendered = apiError(error, requestId, x)
  return {
    status: Number(rendered.status),
    headers: { ...headers, ...rateLimit(headers), 'content-type': JSON_API_TYPE },
    body: JSON.stringify({ errors: [rendered] }),
  }
}

function apiError(error: unknown, requestId: string, x?: Exchange): ApiError {
  const { status: given, detail, hint, field, code } = problemOf(error, requestId)
  const pointer = field === undefined ? undefined : pointerOf(field, x)
  const status = pointer !== undefined && given === 400 ? 422 : (statusOf(error, code) ?? given)
  // What is hidden and what is missing must not be told apart.
  if (status === 404)
    return { status: '404', title: 'not found', detail: 'There is no such resource, or you may not see it.' }
  return {
    status: String(status),
    title: titleOf(status),
    detail: [detail, ...(status >= 500 ? [] : [hint])].join(' ').trim(),
    ...(pointer === undefined ? {} : { source: { pointer } }),
  }
}

/** Where this API uses another status than the native one. */
function statusOf(error: unknown, code: string): number | undefined {
  if (error instanceof HttpError) return undefined
  switch (code) {
    case 'LOCKED':
    case 'NOT_LOCKED':
    case 'LOCK_MISMATCH':
      return 409
    case 'ALREADY_EXISTS':
    case 'LIMIT_REACHED':
    case 'NAME_GIVEN_UP':
      return 422
    // It can be restored, but not through this API.
    case 'ORG_DELETED':
      return 404
    case 'STATE_NOT_JSON':
    case 'STATE_FORMAT':
    case 'STATE_DIGEST':
      return 422
    default:
      return undefined
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'unauthorized',
  403: 'forbidden',
  405: 'method not allowed',
  409: 'conflict',
  410: 'gone',
  412: 'precondition failed',
  413: 'payload too large',
  422: 'invalid attribute',
  429: 'too many requests',
  503: 'service unavailable',
}

function titleOf(status: number): string {
  return TITLES[status] ?? (status >= 500 ? 'internal server error' : 'error')
}

/** Clients wait as long as this says. Text that is no number ends some of them. */
function rateLimit(headers: RenderedError['headers']): Record<string, string> {
  const after = headers['retry-after']
  return after === undefined ? {} : { 'x-ratelimit-reset': after }
}

/** What services call the parts of a request that this API has under another name, or outside of the document. */
const OTHER_FIELDS: Readonly<Record<string, string | undefined>> = {
  unit: 'name',
  org: 'name',
  emails: 'email-addresses',
  body: undefined,
  path: undefined,
  method: undefined,
  'Content-Type': undefined,
}

/** Schemas say `data.attributes.name`, services say `name`. */
function pointerOf(field: string, x?: Exchange): string | undefined {
  if (field === 'data' || field.startsWith('data.')) return `/${field.replaceAll('.', '/')}`
  if (x === undefined || !['POST', 'PATCH'].includes(x.method) || field.includes('[')) return undefined
  const attribute = field in OTHER_FIELDS ? OTHER_FIELDS[field] : field
  return attribute === undefined ? undefined : `/data/attributes/${attribute.replaceAll('.', '/')}`
}

/** For an attribute that only a service can judge: wrong in a way that no schema says. */
export function invalidAttribute(attribute: string, message: string, hint?: string): TacoError {
  return new TacoError('BAD_REQUEST', message, {
    facts: { field: `data.attributes.${attribute}` },
    ...(hint === undefined ? {} : { hint }),
  })
}

/** For a relation that leads to nothing. */
export function invalidRelation(relation: string, message: string): TacoError {
  return new TacoError('BAD_REQUEST', message, { facts: { field: `data.relationships.${relation}` } })
}

export function notFound(): TacoError {
  return new TacoError('NOT_FOUND', 'There is no such resource, or you may not see it.')
}

/** A conflict in the very words that a command line looks for. */
export function conflict(detail: string): HttpError {
  return new HttpError(409, 'CONFLICT', detail, {})
}
