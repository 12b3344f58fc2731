import * as client from 'openid-client'
import { z } from 'zod'
import { isRecent } from '../../../../base/clock.ts'
import { admit, unlessEnded } from '../../admit.ts'
import { keepsOf } from '../../keep.ts'
import type { Identity, IdentityDeps, IdentityProvider } from '../../provider.ts'
import { refusalsOf } from '../../refusals.ts'
import type { OidcSettings } from '../../settings.ts'
import { boundedFetch } from '../bounded-fetch.ts'
import { checkOidc } from './check.ts'
import { type Claims, claimAt, identityOf, needsUserinfo } from './claims.ts'
import { translate } from './errors.ts'

/** Endpoints may move, and keys are read again whenever an unknown one is used. */
const DISCOVERED_FOR_MS = 3_600_000

const Kept = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() })
const Refresh = z.object({
  subject: z.string(),
  token: z.string(),
  /** The groups came in the ID token, so they are unknown without a new one. */
  needsIdToken: z.boolean(),
})

/** OpenID Connect: authorization code with PKCE, state and nonce. */
export function openOidcProvider(settings: OidcSettings, deps: IdentityDeps): IdentityProvider {
  const { clock } = deps
  const refuse = refusalsOf(settings)
  const keeps = keepsOf(settings, Kept, { clock, refuse })
  const send = boundedFetch({ label: settings.label, refuse, fetch: deps.fetch })
  const translated = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw translate(error, settings, refuse)
    })
  let discovered: { readonly configuration: client.Configuration; readonly at: number } | undefined

  async function discover(): Promise<client.Configuration> {
    if (discovered !== undefined && isRecent(clock, discovered.at, DISCOVERED_FOR_MS))
      return discovered.configuration
    const at = clock.now()
    const issuer = new URL(settings.issuer)
    const configuration = await translated(
      client.discovery(issuer, settings.clientId, metadataOf(settings), authenticationOf(settings), {
        [client.customFetch]: (url, init) => send(url, init as RequestInit),
        // The signature of an ID token counts, not only the connection on which it came.
        execute: [
          client.enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
      }),
    )
    discovered = { configuration, at }
    return configuration
  }

  type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

  /** From the ID token and, if that says too little, from userinfo. `before`: whoever it was must still be it. */
  async function readPerson(
    configuration: client.Configuration,
    tokens: Tokens,
    before?: z.infer<typeof Refresh>,
  ): Promise<Identity> {
    const idToken = tokens.claims() as Claims | undefined
    const subject = (idToken?.['sub'] as string | undefined) ?? before?.subject ?? ''
    if (before !== undefined && subject !== before.subject)
      throw refuse('denied', `${settings.label} answered for another person.`)
    const canAsk = configuration.serverMetadata().userinfo_endpoint !== undefined
    if (idToken === undefined && (before?.needsIdToken === true || !canAsk))
      throw refuse(
        'misconfigured',
        `${settings.label} does not say who is in which groups without a new sign-in.`,
      )
    const userinfo: Claims =
      canAsk && needsUserinfo(settings, idToken ?? {})
        ? await translated(client.fetchUserInfo(configuration, tokens.access_token, subject))
        : {}
    const identity = identityOf(settings, { ...userinfo, ...idToken, sub: subject }, refuse)
    const token = tokens.refresh_token ?? before?.token
    if (token === undefined) return admit(settings, identity, refuse)
    const { groupsClaim } = settings
    const needsIdToken =
      before?.needsIdToken ??
      (groupsClaim !== null && idToken !== undefined && claimAt(idToken, groupsClaim) !== undefined)
    const next: z.infer<typeof Refresh> = { subject, token, needsIdToken }
    return admit(settings, { ...identity, refresh: JSON.stringify(next) }, refuse)
  }

  return {
    id: settings.id,
    kind: settings.kind,
    label: settings.label,
    answersBy: 'redirect',

    async begin({ redirectUri }) {
      const configuration = await discover()
      const kept = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(configuration, {
        ...settings.authorizationParameters,
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', ...settings.scopes])].join(' '),
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, keep: keeps.write(kept) }
    },

    async complete({ redirectUri, url, keep }) {
      const { state, nonce, verifier } = keeps.read(keep)
      if (url.searchParams.get('state') !== state)
        throw refuse('not-started', `The answer of ${settings.label} is for another sign-in.`)
      const configuration = await discover()
      const callback = new URL(redirectUri)
      callback.search = url.search
      const tokens = await translated(
        client.authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        }),
      )
      return await readPerson(configuration, tokens)
    },

    refresh: (refresh) =>
      unlessEnded(async () => {
        const before = Refresh.parse(JSON.parse(refresh))
        const configuration = await discover()
        const tokens = await translated(client.refreshTokenGrant(configuration, before.token))
        return await readPerson(configuration, tokens, before)
      }),

    check: async ({ redirectUri }) => {
      discovered = undefined
      return await checkOidc({ settings, configuration: await discover(), redirectUri, send, refuse })
    },
  }

  function metadataOf({ clientSecret, clockSkewSeconds }: OidcSettings): Partial<client.ClientMetadata> {
    return {
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      [client.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
      [client.clockTolerance]: clockSkewSeconds,
    }
  }
}

/** Basic is what the specification prefers, and what a provider has that does not say. */
function authenticationOf({ clientSecret, clientAuthentication }: OidcSettings): client.ClientAuth {
  if (clientSecret === undefined) return client.None()
  return (server, ...request) => {
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const method =
      clientAuthentication ??
      (offered.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post')
    const authenticate = method === 'client_secret_basic' ? client.ClientSecretBasic : client.ClientSecretPost
    authenticate(clientSecret)(server, ...request)
  }
}
