import { z } from 'zod'
import type { Exchange } from '../../kit/exchange.ts'
import type { RenderedError } from '../../kit/response/http-error.ts'
import { jsonAnswer } from '../../openapi/api.ts'
import { jsonApiErrors } from '../kit/errors.ts'

/** What routes of the registry protocols have in common. Namespaces are organizations. */
export const protocol = {
  method: 'GET',
  action: 'registry:read',
  // Engines send the token of their run to every service of the host.
  takesRunTokens: true,
  tags: ['registry protocols'],
  errors: protocolErrors,
} as const

export function described(description: string) {
  return jsonAnswer(z.record(z.string(), z.unknown()), description)
}

/** The statuses of the Terraform Cloud API, with errors as registries write them: plain texts. */
function protocolErrors(error: unknown, requestId: string, x?: Exchange): RenderedError {
  const rendered = jsonApiErrors(error, requestId, x)
  const { errors } = JSON.parse(rendered.body) as { readonly errors: readonly { readonly detail?: string }[] }
  return {
    ...rendered,
    headers: { ...rendered.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ errors: errors.map(({ detail = 'error' }) => detail) }),
  }
}

const LISTED = 100

/** Lists of the protocols are paged by offset. */
export const ListQuery = z.object({
  q: z.string().optional(),
  provider: z.string().optional(),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .transform((limit) => Math.min(limit, LISTED))
    .default(20),
})

export function listMeta(
  { offset, limit }: { readonly offset: number; readonly limit: number },
  total: number,
) {
  const next = offset + limit
  return {
    limit,
    current_offset: offset,
    ...(next < total ? { next_offset: next } : {}),
    ...(offset > 0 ? { prev_offset: Math.max(0, offset - limit) } : {}),
  }
}
