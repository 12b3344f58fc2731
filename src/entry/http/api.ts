import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi'
import { HTTPException } from 'hono/http-exception'
import { type ErrorCode, TacoError, badRequest } from '../../base/errors.ts'
import type { Caller } from '../../state/index.ts'
import { tagOfIfMatch } from './etag.ts'
import { Problem } from './problem.ts'
import { unitOfSegment } from './unit-path.ts'

/** What a handler knows of the request beyond what HTTP says; made before the router is entered. */
export interface ApiExchange {
  readonly requestId: string
  readonly caller: Caller
  readonly signal: AbortSignal
  route: string
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

/** Names every fault, so that one round is enough to put them all right. */
export function faultsOf(error: z.ZodError): TacoError {
  const faults = error.issues.map((issue) => {
    const inside = issue.code === 'unrecognized_keys' ? [issue.keys[0] ?? ''] : []
    const path = [...issue.path.filter((step) => typeof step === 'string'), ...inside]
    return { field: path.join('.') || 'body', message: issue.message }
  })
  const text = faults.map(({ field, message }) => `${field}: ${message}`).join('; ')
  return badRequest(faults[0]?.field ?? 'body', text, '/v1/openapi.json describes every request.')
}

/** The framework's own errors, in our words. */
export function translated(error: unknown): unknown {
  if (!(error instanceof HTTPException)) return error
  if (error.status === 400) return badRequest('body', error.message)
  const code: ErrorCode = error.status === 413 ? 'TOO_LARGE' : 'UNEXPECTED'
  return new TacoError(code, error.message, { cause: error })
}

export const OrgQuery = z.object({ org: z.string().default('default') })
export const UnitParams = z.object({
  unit: z.string().meta({
    description: 'The unit: its name with "/" written "--" (or %2F), or its id.',
    example: 'prod--network--vpc',
  }),
})
export const Flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
export const Limit = z.coerce.number().int().min(1).max(1000).default(100)
export const Repeated = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) => (given === undefined ? undefined : typeof given === 'string' ? [given] : given))
export const IfMatch = z.object({
  'if-match': z
    .string()
    .optional()
    .meta({ description: 'The ETag of an earlier answer: change exactly that revision, else 412.' }),
})

export const refOf = (params: { unit: string }, query: { org: string }) => ({
  org: query.org,
  unit: unitOfSegment(params.unit),
})
export const ifMatchOf = (header: { 'if-match'?: string | undefined }) => tagOfIfMatch(header['if-match'])

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

export { createRoute, z }
