import type { Clock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import { systemCaller } from '../caller.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { IdTokens } from './id-tokens.ts'
import { type Claims, matchingRule } from './match.ts'
import { MAX_WORKLOAD_TTL_MS, type WorkloadRule } from './rule.ts'

export interface Exchanged {
  /** `taco_wl_…` */
  readonly token: string
  readonly expiresAt: number
  /** The name of the rule that let the job in. */
  readonly rule: string
}

/** Gives jobs short-lived tokens for the identity that their platform vouches for. */
export interface Workloads {
  /** UNAUTHENTICATED unless a rule of the organization lets the job in. */
  exchange(
    asked: { readonly org: string; readonly idToken: string },
    request?: { readonly requestId?: string },
  ): Promise<Exchanged>
}

/** Larger than any platform's, smaller than what could be used against the parser. */
const MAX_TOKEN_LENGTH = 16_384
const MAX_SUBJECT_LENGTH = 150

export function createWorkloads(deps: {
  readonly clock: Clock
  readonly tokens: Pick<Tokens, 'create'>
  readonly idTokens: IdTokens
  /** Of an organization; none if there is no such organization. */
  readonly rules: (org: string) => readonly WorkloadRule[] | Promise<readonly WorkloadRule[]>
  /** What `aud` must be where a rule names no other. */
  readonly publicUrl: string
}): Workloads {
  const { clock, tokens, idTokens, rules, publicUrl } = deps

  return {
    async exchange({ org, idToken }, request = {}) {
      const issuer = idToken.length > MAX_TOKEN_LENGTH ? undefined : claimedIssuer(idToken)
      const ofIssuer = issuer === undefined ? [] : (await rules(org)).filter((rule) => rule.issuer === issuer)
      // Nothing is fetched from an issuer that no administrator has named.
      if (issuer === undefined || ofIssuer.length === 0)
        throw refused(`No rule of the organization ${org} accepts identity tokens of this issuer.`)
      const claims = await idTokens.verify(idToken, issuer)
      const rule = matchingRule(
        ofIssuer.filter(({ audience = publicUrl }) => isFor(claims, audience)),
        claims,
      )
      if (rule === undefined)
        throw refused(
          `No rule of the organization ${org} lets this job in: its subject is ${said(claims['sub'])} and its audience is ${said(claims['aud'])}.`,
        )
      const expiresAt = clock.now() + Math.min(rule.ttlMs, MAX_WORKLOAD_TTL_MS)
      const { text } = await tokens.create(
        {
          name: nameOf(rule, claims),
          owner: { kind: 'workload', org, roles: rule.roles },
          scope: rule.scope,
          expiresAt,
        },
        { ...systemCaller('opentaco'), ...request },
      )
      return { token: text, expiresAt, rule: rule.name }
    },
  }
}

/** Not verified: it only chooses the keys to verify with, among those of issuers that are named in rules. */
function claimedIssuer(token: string): string | undefined {
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  try {
    const payload: unknown = JSON.parse(Buffer.from(String(parts[1]), 'base64url').toString('utf8'))
    const issuer =
      typeof payload === 'object' && payload !== null && 'iss' in payload ? payload.iss : undefined
    return typeof issuer === 'string' ? issuer : undefined
  } catch {
    return undefined
  }
}

/** Shown wherever the history names the job. */
function nameOf({ name }: WorkloadRule, { sub }: Claims): string {
  return typeof sub === 'string' ? `${name} (${sub.slice(0, MAX_SUBJECT_LENGTH)})` : name
}

function isFor({ aud }: Claims, audience: string): boolean {
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience
}

function said(claim: unknown): string {
  return JSON.stringify(claim ?? null).slice(0, 300)
}

function refused(message: string): TacoError {
  return new TacoError('UNAUTHENTICATED', message, {
    hint: 'Check the organization, and ask an administrator for a workload rule: `taco workload ls` shows them.',
  })
}
