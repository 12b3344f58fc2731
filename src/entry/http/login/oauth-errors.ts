import { TacoError } from '../../../base/errors.ts'
import type { RenderedError } from '../kit/response/http-error.ts'
import { problemOf, problems } from '../kit/response/problem.ts'

/** Errors as RFC 6749 section 5.2 wants them. */
export function oauthErrors(error: unknown, requestId: string): RenderedError {
  const { status, detail, hint } = problemOf(error, requestId)
  const { headers } = problems(error, requestId)
  const name = error instanceof TacoError ? error.facts['oauth'] : undefined
  const body = {
    error: typeof name === 'string' ? name : nameOf(status),
    // Quotes and backslashes are not allowed here.
    error_description: [detail, hint].join(' ').trim().replaceAll(/["\\]/g, "'"),
  }
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function nameOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
