import type { IncomingMessage, ServerResponse } from 'node:http'
import { type JWTPayload, SignJWT, exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { readForm, sendHtml, serveOnLoopback } from './loopback.ts'

/** What the provider says of a person besides `sub`: `name`, `email`, `groups`, and whatever a test needs. */
export type Claims = Readonly<Record<string, unknown>>

export interface OidcPeer {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Adds a person, or replaces what is said of them. */
  setUser(subject: string, claims: Claims): void
  /** Disables the account: no sign-in and no refresh. */
  removeUser(subject: string): void
  /** Does what a browser would: from the authorization URL to the callback, which it returns and does not visit. */
  signIn(url: string, subject: string): Promise<URL>
  /** The same, but the person chooses "Cancel". */
  cancel(url: string): Promise<URL>
  /**
   * A token signed by the provider's key: what a CI job or a service account has. `iss`, `iat` and `exp` (in five
   * minutes) are set unless given; give `aud` and `sub`.
   */
  mint(claims: JWTPayload, options?: { readonly isForged?: boolean }): Promise<string>
  setDown(isDown: boolean): void
  dispose(): Promise<void>
}

export interface OidcPeerOptions {
  readonly users?: Readonly<Record<string, Claims>>
  /** `userinfo`: the ID token says only who, as the specification prefers. */
  readonly claimsIn?: 'id-token' | 'userinfo'
}

/** Released through the scope of the same name, or with every sign-in. */
const SCOPES = {
  profile: ['name', 'preferred_username'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
  openid: ['sub', 'hd', 'roles', 'realm_access'],
}
const KEY_ID = 'peer-key'

/**
 * A real OpenID Connect provider (npm: oidc-provider) on loopback. Its sign-in page has a field for the subject and
 * works in a browser. Every redirect URI on loopback is registered.
 */
export async function startOidc(options: OidcPeerOptions = {}): Promise<OidcPeer> {
  const users = new Map(Object.entries(options.users ?? {}))
  const clientId = 'taco'
  const clientSecret = 'peer-client-secret'
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const forgedKey = (await generateKeyPair('RS256')).privateKey
  const key = { ...(await exportJWK(privateKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' }

  const server = await serveOnLoopback((url) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [`${url}/unused`],
          grant_types: [
            'authorization_code',
            'refresh_token',
            'urn:ietf:params:oauth:grant-type:device_code',
          ],
        },
      ],
      jwks: { keys: [key] },
      cookies: { keys: ['peer'] },
      claims: SCOPES,
      conformIdTokenClaims: options.claimsIn === 'userinfo',
      features: { devInteractions: { enabled: false }, deviceFlow: { enabled: true } },
      pkce: { required: () => true },
      issueRefreshToken: () => Promise.resolve(true),
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, sub) => {
        const claims = users.get(sub)
        return claims === undefined ? undefined : { accountId: sub, claims: () => ({ ...claims, sub }) }
      },
      // Everything is consented to: the only page is the sign-in.
      async loadExistingGrant(ctx) {
        const accountId = ctx.oidc.session?.accountId
        const grant = new ctx.oidc.provider.Grant({
          clientId,
          ...(accountId === undefined ? {} : { accountId }),
        })
        grant.addOIDCScope('openid profile email groups offline_access')
        await grant.save()
        return grant
      },
      ttl: {
        AccessToken: 600,
        RefreshToken: 600,
        AuthorizationCode: 60,
        IdToken: 600,
        Interaction: 600,
        Session: 600,
        Grant: 600,
      },
    })
    provider.Client.prototype.redirectUriAllowed = (uri: string) =>
      ['localhost', '127.0.0.1'].includes(new URL(uri).hostname)
    const rest = provider.callback()
    return (req, res) => {
      if (req.url?.startsWith('/interaction/') === true) void interact(provider, req, res)
      else void rest(req, res)
    }
  })

  async function interact(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'POST') {
      const form = await readForm(req)
      const login = form.get('login') ?? ''
      const isCancelled = form.get('do') === 'cancel'
      if (isCancelled || users.has(login)) {
        const result = isCancelled
          ? { error: 'access_denied', error_description: 'The person cancelled the sign-in.' }
          : { login: { accountId: login } }
        return await provider.interactionFinished(req, res, result)
      }
    }
    const hint = req.method === 'POST' ? '<p role="alert">There is no such person.</p>' : ''
    sendHtml(
      res,
      `<title>Sign in to the test provider</title><form method="post">${hint}
<label>Name <input name="login" autofocus></label>
<button name="do" value="sign-in">Sign in</button> <button name="do" value="cancel">Cancel</button></form>`,
    )
  }

  async function answer(url: string, form: Readonly<Record<string, string>>): Promise<URL> {
    const browser = openBrowser(server.url)
    const page = await browser.follow(url)
    if (page.status !== 200) throw new Error(`the provider answered ${page.status}: ${await page.text()}`)
    const end = await browser.follow(page.url, new URLSearchParams(form))
    const location = end.headers.get('location')
    if (location === null) throw new Error(`the provider did not return to the callback: ${await end.text()}`)
    return new URL(location)
  }

  return {
    issuer: server.url,
    clientId,
    clientSecret,
    setUser: (subject, claims) => void users.set(subject, claims),
    removeUser: (subject) => void users.delete(subject),
    signIn: (url, subject) => answer(url, { login: subject, do: 'sign-in' }),
    cancel: (url) => answer(url, { do: 'cancel' }),
    mint: ({ iss = server.url, iat, exp, ...claims }, { isForged = false } = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })
        .setIssuer(iss)
        .setIssuedAt(iat)
        .setExpirationTime(exp ?? '5m')
        .sign(isForged ? forgedKey : privateKey),
    setDown: server.setDown,
    dispose: server.dispose,
  }
}

/** Keeps cookies and follows redirects as long as they stay on `origin`; the answer that leaves is returned. */
export function openBrowser(origin: string) {
  const cookies = new Map<string, string>()

  async function once(url: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  return {
    async follow(url: string, form?: URLSearchParams): Promise<Response> {
      let answer = await once(url, form)
      for (;;) {
        const location = answer.headers.get('location')
        if (location === null) return answer
        const next = new URL(location, answer.url)
        if (next.origin !== origin) return answer
        answer = await once(next.href)
      }
    },
  }
}
