import { type JWTVerifyGetKey, createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { TacoError } from '../../../base/errors.ts'
import { boundedFetch } from '../../identity/adapters/bounded-fetch.ts'
import { isLoopback } from '../../identity/settings.ts'
import type { IdTokens } from '../id-tokens.ts'

/** Of the issuer. With a secret that both sides share, whoever verifies could also sign; `none` is no signature. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const SKEW_SECONDS = 60
/** A token that was issued longer ago than this may have been copied from a log. */
const MAX_AGE_SECONDS = 3_600
/** An issuer that moves its keys is followed after this time. Keys that it adds are found at once. */
const DISCOVERY_MS = 3_600_000

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string() })

export function createIdTokens(options: { readonly fetch?: typeof fetch } = {}): IdTokens {
  const send = boundedFetch({
    label: 'The issuer',
    refuse: (reason, message) =>
      new TacoError(reason === 'unavailable' ? 'PROVIDER_UNAVAILABLE' : 'PROVIDER_REFUSED', message, {
        hint: 'The keys of the issuer of the identity token are needed. Try again in a minute.',
      }),
    fetch: options.fetch,
  })
  const keys = new LRUCache<string, Promise<JWTVerifyGetKey>>({ max: 500, ttl: DISCOVERY_MS })

  async function discover(issuer: string): Promise<JWTVerifyGetKey> {
    const answer = await send(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    const found = Discovery.safeParse(answer.ok ? await answer.json().catch(() => undefined) : undefined)
    if (!found.success || found.data.issuer !== issuer)
      throw misconfigured(`The issuer ${issuer} has no valid OpenID Connect configuration.`)
    const uri = URL.canParse(found.data.jwks_uri) ? new URL(found.data.jwks_uri) : undefined
    // Only an issuer on this machine may send us to this machine.
    const isSafe = uri?.protocol === 'https:' || (uri?.protocol === 'http:' && isLoopback(uri.hostname))
    if (uri === undefined || !isSafe || (isLoopback(uri.hostname) && !isLoopback(new URL(issuer).hostname)))
      throw misconfigured(`The issuer ${issuer} names an address for its keys that is not safe.`)
    return createRemoteJWKSet(uri, { [customFetch]: send })
  }

  /** Requests at the same time share one discovery; a failed one is not kept. */
  function keysOf(issuer: string): Promise<JWTVerifyGetKey> {
    const known = keys.get(issuer)
    if (known !== undefined) return known
    const found = discover(issuer)
    keys.set(issuer, found)
    found.catch(() => keys.delete(issuer))
    return found
  }

  return {
    async verify(token, issuer) {
      const key = await keysOf(issuer)
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer,
          algorithms: ALGORITHMS,
          clockTolerance: SKEW_SECONDS,
          maxTokenAge: MAX_AGE_SECONDS,
          requiredClaims: ['exp', 'iat', 'aud'],
        })
        return payload
      } catch (error) {
        if (error instanceof errors.JOSEError)
          throw refused(`The identity token is not valid: ${error.message}.`)
        throw error
      }
    },
  }
}

function refused(message: string): TacoError {
  return new TacoError('UNAUTHENTICATED', message, {
    hint: 'Get a new identity token from the platform of the job, and try again.',
  })
}

function misconfigured(message: string): TacoError {
  return new TacoError('PROVIDER_REFUSED', message, {
    hint: 'Check the issuer of the workload rule: it must be the exact `iss` of its tokens.',
  })
}
