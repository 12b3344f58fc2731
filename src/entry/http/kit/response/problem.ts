import { z } from 'zod'
import { TacoError } from '../../../../base/errors.ts'
import { LockInfo } from '../../../../state/index.ts'
import { HttpError, type RenderedError } from './http-error.ts'
import { STATUS_OF, TITLE_OF } from './error-status.ts'

/** Where one request has several faults: each of them, with the dependency that it is about. */
const ProblemErrors = z.array(z.object({ detail: z.string(), unit: z.string(), on: z.string() }))

/** RFC 9457, with a code to compare and a hint for a person. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    /** What to do next. */
    hint: z.string().optional(),
    /** The part of the request that is wrong. */
    field: z.string().optional(),
    requestId: z.string(),
    /** Of the lock that is held. */
    holder: LockInfo.optional(),
    errors: ProblemErrors.optional(),
    /** How many errors were left out of `errors`. */
    moreErrors: z.int().optional(),
  })
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>

const RETRY_AFTER_SECONDS = 5

/** Errors as `application/problem+json`. */
export function problems(error: unknown, requestId: string): RenderedError {
  const problem = problemOf(error, requestId)
  return {
    status: problem.status,
    headers: { ...headersOf(error, problem.status), 'content-type': 'application/problem+json' },
    body: JSON.stringify(problem),
  }
}

export function problemOf(error: unknown, requestId: string): Problem {
  const known = error instanceof TacoError ? error : new TacoError('UNEXPECTED', '')
  const holder = holderOf(known)
  const { field, moreErrors } = known.facts
  const errors = ProblemErrors.safeParse(known.facts['errors']).data
  return {
    type: `https://opentaco.dev/errors/${known.code}`,
    title: TITLE_OF[known.code],
    status: known instanceof HttpError ? known.status : STATUS_OF[known.code],
    detail: detailOf(known),
    code: known.code,
    ...(known.hint === undefined ? {} : { hint: known.hint }),
    ...(typeof field === 'string' ? { field } : {}),
    requestId,
    ...(holder === undefined ? {} : { holder }),
    ...(errors === undefined ? {} : { errors }),
    ...(typeof moreErrors === 'number' && moreErrors > 0 ? { moreErrors } : {}),
  }
}

/** The lock info of the holder, if the error has it. */
export function holderOf(error: TacoError): LockInfo | undefined {
  if (error.code !== 'LOCKED' && error.code !== 'LOCK_MISMATCH') return undefined
  const parsed = LockInfo.safeParse(error.facts.holder)
  return parsed.success ? parsed.data : undefined
}

/** What is unexpected may hold anything, so its text stays in the log. */
function detailOf(error: TacoError): string {
  if (error.code === 'UNEXPECTED')
    return 'The server failed unexpectedly. Its log has more under this request id.'
  return error.message
}

function headersOf(error: unknown, status: number): Readonly<Record<string, string>> {
  if (error instanceof HttpError) return error.headers
  // Basic is taken and never asked for: a browser that is asked keeps the password and sends it from then on, whichever
  // page makes it call. Engines send theirs without being asked.
  if (status === 401) return { 'www-authenticate': 'Bearer realm="opentaco"' }
  if (status === 503 || status === 429) {
    const retryAfterMs = error instanceof TacoError ? error.facts['retryAfterMs'] : undefined
    const seconds =
      typeof retryAfterMs === 'number' ? Math.max(1, Math.ceil(retryAfterMs / 1000)) : RETRY_AFTER_SECONDS
    return { 'retry-after': String(seconds) }
  }
  return {}
}
