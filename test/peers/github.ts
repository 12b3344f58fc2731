import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readForm, sendHtml, sendJson, serveOnLoopback } from './loopback.ts'

export interface GithubUser {
  readonly id: number
  readonly name?: string | null
  readonly emails?: readonly {
    readonly email: string
    readonly primary: boolean
    readonly verified: boolean
  }[]
  readonly organizations?: readonly string[]
  /** `org/slug`, or `org/slug<parent`. */
  readonly teams?: readonly string[]
}

export interface GithubPeer {
  /** Of GitHub Enterprise Server: its API is at `/api/v3`. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  setUser(login: string, user: GithubUser): void
  /** The account is gone: its tokens are refused. */
  removeUser(login: string): void
  /** Everyone's tokens are refused from now on. */
  revokeTokens(): void
  /** Does what a browser would, and returns the callback without visiting it. */
  signIn(url: string, login: string): Promise<URL>
  cancel(url: string): Promise<URL>
  /** Tokens expire after some hours and come with a refresh token, as those of a GitHub App. */
  setExpiring(isExpiring: boolean): void
  /** Sent with lists of organizations. */
  setSsoHeader(value: string | undefined): void
  /** What was asked for, in order: `/api/v3/user/orgs?per_page=100`. */
  readonly requests: readonly string[]
  setDown(isDown: boolean): void
  dispose(): Promise<void>
}

/**
 * GitHub's OAuth and the four calls of its API that sign-in uses. Bodies have the fields that GitHub's OpenAPI
 * description requires (schemas private-user, email, organization-simple and team-full), paging follows `per_page`,
 * `page` and `Link`, and a refused request for a token is a 200 with `error`, as documented.
 */
export async function startGithub(): Promise<GithubPeer> {
  const users = new Map<string, GithubUser>()
  const codes = new Map<
    string,
    { readonly login: string; readonly redirectUri: string; readonly challenge: string }
  >()
  const tokens = new Map<string, string>()
  const requests: string[] = []
  const clientId = 'Iv1.peer'
  const clientSecret = 'github-peer-secret'
  let isExpiring = false
  let ssoHeader: string | undefined

  const server = await serveOnLoopback(
    (url) => (req, res) => void answer(new URL(req.url ?? '/', url), req, res),
  )

  async function answer(url: URL, req: IncomingMessage, res: ServerResponse): Promise<void> {
    requests.push(`${url.pathname}${url.search}`)
    if (url.pathname === '/login/oauth/authorize') return await authorize(url, req, res)
    if (url.pathname === '/login/oauth/access_token') return accessToken(await readForm(req), res)
    if (url.pathname.startsWith('/api/v3/')) return api(url, req, res)
    sendJson(res, 404, {
      message: 'Not Found',
      documentation_url: 'https://docs.github.com/rest',
      status: '404',
    })
  }

  async function authorize(url: URL, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const asked = url.searchParams
    if (asked.get('client_id') !== clientId) return sendJson(res, 404, { message: 'Not Found' })
    if (req.method !== 'POST')
      return sendHtml(
        res,
        `<title>Authorize OpenTaco</title><form method="post"><label>Login <input name="login"></label>
<button name="authorize" value="1">Authorize</button> <button name="authorize" value="0">Cancel</button></form>`,
      )
    const form = await readForm(req)
    const redirectUri = asked.get('redirect_uri') ?? ''
    const callback = new URL(redirectUri)
    callback.searchParams.set('state', asked.get('state') ?? '')
    if (form.get('authorize') === '1') {
      const code = randomBytes(10).toString('hex')
      codes.set(code, {
        login: form.get('login') ?? '',
        redirectUri,
        challenge: asked.get('code_challenge') ?? '',
      })
      callback.searchParams.set('code', code)
    } else {
      callback.searchParams.set('error', 'access_denied')
      callback.searchParams.set('error_description', 'The user has denied your application access.')
    }
    res.writeHead(302, { location: callback.href }).end()
  }

  function accessToken(form: URLSearchParams, res: ServerResponse): void {
    const refusal = (error: string, text: string) =>
      sendJson(res, 200, { error, error_description: text, error_uri: 'https://docs.github.com/apps' })
    if (form.get('client_id') !== clientId) return sendJson(res, 404, { error: 'Not Found' })
    if (form.get('client_secret') !== clientSecret)
      return refusal(
        'incorrect_client_credentials',
        'The client_id and/or client_secret passed are incorrect.',
      )
    const isRefresh = form.get('grant_type') === 'refresh_token'
    const login = isRefresh ? refreshed(form) : redeemed(form)
    if (login === undefined)
      return isRefresh
        ? refusal('bad_refresh_token', 'The refresh token passed is incorrect or expired.')
        : refusal('bad_verification_code', 'The code passed is incorrect or expired.')
    if (login instanceof Error) return refusal('redirect_uri_mismatch', login.message)
    const token = `gho_${randomBytes(18).toString('hex')}`
    tokens.set(token, login)
    const basic = { access_token: token, token_type: 'bearer' }
    if (!isExpiring) return sendJson(res, 200, { ...basic, scope: 'read:org,read:user,user:email' })
    const refresh = `ghr_${randomBytes(18).toString('hex')}`
    tokens.set(refresh, login)
    const lives = { expires_in: 28_800, refresh_token: refresh, refresh_token_expires_in: 15_811_200 }
    sendJson(res, 200, { ...basic, scope: '', ...lives })
  }

  function refreshed(form: URLSearchParams): string | undefined {
    const token = form.get('refresh_token') ?? ''
    const login = tokens.get(token)
    tokens.delete(token)
    return login
  }

  function redeemed(form: URLSearchParams): string | Error | undefined {
    const code = form.get('code') ?? ''
    const found = codes.get(code)
    if (found === undefined) return undefined
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (challenge !== found.challenge) return undefined
    return form.get('redirect_uri') === found.redirectUri
      ? found.login
      : new Error('The redirect_uri MUST match the registered callback URL for this application.')
  }

  function api(url: URL, req: IncomingMessage, res: ServerResponse): void {
    const token = (req.headers.authorization ?? '').replace(/^Bearer /, '')
    const login = tokens.get(token)
    const user = login === undefined ? undefined : users.get(login)
    if (login === undefined || user === undefined)
      return sendJson(res, 401, {
        message: token === '' ? 'Requires authentication' : 'Bad credentials',
        documentation_url: 'https://docs.github.com/rest',
        status: '401',
      })
    const headers = { 'x-oauth-scopes': 'read:org, read:user, user:email' }
    switch (url.pathname.slice('/api/v3'.length)) {
      case '/user':
        return sendJson(res, 200, privateUser(login, user), headers)
      case '/user/emails':
        return page((user.emails ?? []).map((email) => ({ visibility: null, ...email })))
      case '/user/orgs':
        return page((user.organizations ?? []).map(organizationSimple))
      case '/user/teams':
        return page((user.teams ?? []).map(teamFull))
      default:
        return sendJson(res, 404, { message: 'Not Found' })
    }

    function page(all: readonly unknown[]): void {
      const size = Math.min(Number(url.searchParams.get('per_page') ?? 30), 100)
      const at = Number(url.searchParams.get('page') ?? 1)
      const next = new URL(url)
      next.searchParams.set('page', String(at + 1))
      sendJson(res, 200, all.slice((at - 1) * size, at * size), {
        ...headers,
        ...(at * size < all.length ? { link: `<${next.href}>; rel="next", <${next.href}>; rel="last"` } : {}),
        ...(ssoHeader === undefined ? {} : { 'x-github-sso': ssoHeader }),
      })
    }
  }

  async function visit(url: string, form: Readonly<Record<string, string>>): Promise<URL> {
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`GitHub answered ${answer.status}: ${await answer.text()}`)
    return new URL(location)
  }

  return {
    url: server.url,
    clientId,
    clientSecret,
    setUser: (login, user) => void users.set(login, user),
    removeUser: (login) => void users.delete(login),
    revokeTokens: () => tokens.clear(),
    signIn: (url, login) => visit(url, { login, authorize: '1' }),
    cancel: (url) => visit(url, { authorize: '0' }),
    setExpiring: (value) => (isExpiring = value),
    setSsoHeader: (value) => (ssoHeader = value),
    requests,
    setDown: server.setDown,
    dispose: server.dispose,
  }
}

function privateUser(login: string, { id, name = null }: GithubUser) {
  const user = `https://github.example.com/api/v3/users/${login}`
  return {
    login,
    id,
    node_id: `U_${id}`,
    avatar_url: `https://github.example.com/avatars/u/${id}`,
    gravatar_id: '',
    url: user,
    html_url: `https://github.example.com/${login}`,
    followers_url: `${user}/followers`,
    following_url: `${user}/following{/other_user}`,
    gists_url: `${user}/gists{/gist_id}`,
    starred_url: `${user}/starred{/owner}{/repo}`,
    subscriptions_url: `${user}/subscriptions`,
    organizations_url: `${user}/orgs`,
    repos_url: `${user}/repos`,
    events_url: `${user}/events{/privacy}`,
    received_events_url: `${user}/received_events`,
    type: 'User',
    site_admin: false,
    name,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-01-01T00:00:00Z',
    private_gists: 0,
    total_private_repos: 0,
    owned_private_repos: 0,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: true,
  }
}

function organizationSimple(login: string) {
  const url = `https://github.example.com/api/v3/orgs/${login}`
  return {
    login,
    id: login.length,
    node_id: `O_${login}`,
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `https://github.example.com/avatars/${login}`,
    description: null,
  }
}

function teamSimple(org: string, slug: string) {
  const url = `https://github.example.com/api/v3/organizations/1/team/${slug.length}`
  return {
    id: slug.length,
    node_id: `T_${slug}`,
    url,
    html_url: `https://github.example.com/orgs/${org}/teams/${slug}`,
    name: slug,
    slug,
    description: null,
    privacy: 'closed',
    notification_setting: 'notifications_enabled',
    permission: 'pull',
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
  }
}

function teamFull(text: string) {
  const [org = '', slug = '', parent] = text.split(/[/<]/)
  return {
    ...teamSimple(org, slug),
    parent: parent === undefined ? null : teamSimple(org, parent),
    members_count: 1,
    repos_count: 0,
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-01-01T00:00:00Z',
    organization: { ...organizationSimple(org), type: 'Organization', public_repos: 0, followers: 0 },
  }
}
