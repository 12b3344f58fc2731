import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi'
import { HTTPException } from 'hono/http-exception'
import type { Principal } from '../../../access/index.ts'
import { type ErrorCode, TacoError, badRequest } from '../../../base/errors.ts'
import { type Caller, Retention } from '../../../state/index.ts'
import { type Conditions, expectedBy } from '../kit/response/etag.ts'
import { Problem } from '../kit/response/problem.ts'
import { faultsOf } from './queries.ts'
import { unitOfSegment } from '../kit/unit-path.ts'

/** What a handler knows of the request beyond what HTTP says; made before the router is entered. */
export interface ApiExchange {
  readonly requestId: string
  readonly principal: Principal
  readonly claim: string | undefined
  readonly caller: Caller
  readonly signal: AbortSignal
  route: string
  /** Goes along with the caller: set where the route declares an Idempotency-Key. */
  keyed?: Caller['request']
}

export interface ApiEnv {
  Bindings: { exchange: ApiExchange }
}

export type Api = OpenAPIHono<ApiEnv>

export function createApi(): Api {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw faultsOf(result.error)
    },
  })
}

/** The framework's own errors, in our words. */
export function translated(error: unknown): unknown {
  if (!(error instanceof HTTPException)) return error
  if (error.status === 400)
    return badRequest('body', 'the body is not JSON', 'Send one JSON document, encoded as UTF-8.')
  const code: ErrorCode = error.status === 413 ? 'TOO_LARGE' : 'UNEXPECTED'
  return new TacoError(code, error.message, { cause: error })
}

export const UnitParams = z.object({
  unit: z.string().meta({
    description: 'The unit: its name with "/" written "--" (or %2F), or its id.',
    example: 'prod--network--vpc',
  }),
})
export const IfMatch = z.object({
  'if-match': z.string().optional().meta({
    description:
      'The ETag of an earlier answer: change exactly that revision, else 412. Several may be listed; "*" is any.',
  }),
})
export const IfStateMatch = z.object({
  'if-match': z
    .string()
    .optional()
    .meta({ description: 'The ETag of the state as it was read: change exactly that state, else 412.' }),
})

/** Of changes that must not be made twice. */
export const Idempotent = z.object({
  'idempotency-key': z.string().min(1).max(255).optional().meta({
    description:
      'A random text of yours. Should no answer come, repeat the request with the same: the change is made once.',
  }),
})

export const refOf = (params: { unit: string }, query: { org: string }) => ({
  org: query.org,
  unit: unitOfSegment(params.unit),
})
interface RequestHeaders {
  header(name: string): string | undefined
}
export const conditionsOf = (request: RequestHeaders): Conditions => ({
  'if-match': request.header('if-match'),
  'if-none-match': request.header('if-none-match'),
  'if-unmodified-since': request.header('if-unmodified-since'),
})
export const expectedOf = (request: RequestHeaders) => expectedBy(conditionsOf(request))

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { content: { 'application/json': { schema } }, required: true } as const
}

export function jsonAnswer<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } } as const
}

/** Any route may fail with one of these. */
export const PROBLEMS = {
  default: {
    description: 'What went wrong and what to do',
    content: { 'application/problem+json': { schema: Problem } },
  },
} as const

/** Stored documents keep what they do not know; requests must not hold it. */
export const RetentionInput = Retention.strict()

export { createRoute, z }
export { Flag, Limit, NoQuery, OrgQuery, Repeated } from './queries.ts'
