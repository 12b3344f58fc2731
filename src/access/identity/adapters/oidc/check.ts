import * as client from 'openid-client'
import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import { randomText } from '../../keep.ts'
import type { ProviderCheck } from '../../provider.ts'
import type { Refuse } from '../../refusals.ts'
import type { OidcSettings } from '../../settings.ts'
import type { Send } from '../bounded-fetch.ts'
import { isClientRefused, translate } from './errors.ts'

const Keys = z.object({ keys: z.array(z.object({ kty: z.string() })).min(1) })

export interface OidcCheck {
  readonly settings: OidcSettings
  readonly configuration: client.Configuration
  readonly redirectUri: string
  readonly send: Send
  readonly refuse: Refuse
}

/** Whether sign-in can work, as far as that can be seen without a person. */
export async function checkOidc(check: OidcCheck): Promise<ProviderCheck> {
  const { settings, configuration, redirectUri } = check
  const server = configuration.serverMetadata()
  const warnings: string[] = []
  const keys = await countKeys(check)
  if (settings.clientSecret !== undefined) await checkClient(check)

  const missing = settings.scopes.filter((scope) => server.scopes_supported?.includes(scope) === false)
  if (missing.length > 0) warnings.push(`The provider does not list these scopes: ${missing.join(', ')}.`)
  const { groupsClaim } = settings
  const claims = server.claims_supported
  if (groupsClaim !== null && claims?.includes(groupsClaim.split('.')[0] ?? '') === false)
    warnings.push(
      `The provider does not list the claim "${groupsClaim}". If people have no groups after they signed in, let ` +
        'the provider send it, or set groupsClaim.',
    )
  return {
    facts: {
      Issuer: server.issuer,
      'Authorization endpoint': server.authorization_endpoint ?? '',
      'Token endpoint': server.token_endpoint ?? '',
      'Userinfo endpoint': server.userinfo_endpoint ?? 'none',
      'Signing keys': String(keys),
      'Redirect URI to register': redirectUri,
    },
    warnings,
  }
}

async function countKeys({ settings, configuration, send, refuse }: OidcCheck): Promise<number> {
  const server = configuration.serverMetadata()
  for (const field of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (server[field] === undefined)
      throw refuse('misconfigured', `The metadata of ${settings.label} does not have ${field}.`)
  const answer = await send(server.jwks_uri ?? '')
  const keys = Keys.safeParse(await answer.json().catch(() => undefined))
  if (keys.success) return keys.data.keys.length
  throw refuse('misconfigured', `${settings.label} publishes no signing keys at ${server.jwks_uri}.`)
}

/** Asks for tokens with a code that cannot exist: a provider that knows the client complains about the code only. */
async function checkClient({ settings, configuration, redirectUri, refuse }: OidcCheck): Promise<void> {
  const callback = new URL(redirectUri)
  const state = randomText()
  callback.searchParams.set('code', randomText())
  callback.searchParams.set('state', state)
  callback.searchParams.set('iss', configuration.serverMetadata().issuer)
  try {
    await client.authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      pkceCodeVerifier: client.randomPKCECodeVerifier(),
    })
  } catch (error) {
    const refusal = translate(error, settings, refuse)
    if (isClientRefused(error) || isTacoError(refusal, 'PROVIDER_UNAVAILABLE')) throw refusal
  }
}
