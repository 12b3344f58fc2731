import { z } from 'zod'
import { openObject } from '../../bucket/index.ts'
import { isLoopback } from '../identity/settings.ts'
import { TokenScope } from '../tokens/scope.ts'

/** A workload token is for one job; a longer job exchanges its identity again. */
export const MAX_WORKLOAD_TTL_MS = 3_600_000
export const DEFAULT_WORKLOAD_TTL_MS = 900_000

/**
 * Lets jobs in that prove who they are with a token of their own platform. A part of the organization's access
 * document.
 */
export const WorkloadRule = openObject({
  name: z.string(),
  /** Of the OpenID Connect tokens, as in their `iss`. Nothing is ever fetched from an issuer that no rule names. */
  issuer: z.string(),
  /** What `aud` must hold. Undefined: the public URL of this server. */
  audience: z.string().optional(),
  /** Every claim named here must match one of its patterns. See `matchRule`. */
  claims: z.record(z.string(), z.array(z.string())),
  /** What the job may do. */
  roles: z.array(z.string()),
  scope: TokenScope.optional(),
  ttlMs: z.number(),
})
export type WorkloadRule = z.infer<typeof WorkloadRule>

const Pattern = z.string().min(1).max(500)

/** A rule as an administrator gives it. */
export const WorkloadRuleInput = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be lower-case letters, digits, - and _'),
    issuer: z.string().refine(isIssuer, 'must be an https URL without a query (http only for localhost)'),
    audience: z.string().min(1).max(500).optional(),
    claims: z
      .record(
        z.string().min(1).max(200),
        z.union([Pattern.transform((one) => [one]), z.array(Pattern).min(1).max(50)]),
      )
      .refine(
        (claims) => Object.values(claims).some((patterns) => patterns.every((one) => /[^*]/.test(one))),
        'must name at least one claim with a value: an issuer such as GitHub issues tokens to everyone',
      ),
    roles: z.array(z.string().min(1)).min(1).max(20),
    scope: TokenScope.strict().optional(),
    ttlMs: z.number().int().min(60_000).max(MAX_WORKLOAD_TTL_MS).default(DEFAULT_WORKLOAD_TTL_MS),
  })
  .meta({
    description: 'Lets jobs in that prove who they are with an OpenID Connect token of their platform.',
  })

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash, username, password } = new URL(text)
  if (search !== '' || hash !== '' || username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
