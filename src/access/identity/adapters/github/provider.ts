import { createHash } from 'node:crypto'
import { z } from 'zod'
import { admit, unlessEnded } from '../../admit.ts'
import { keepsOf, randomText } from '../../keep.ts'
import type { Identity, IdentityDeps, IdentityProvider } from '../../provider.ts'
import { type Refuse, quoted, refusalsOf } from '../../refusals.ts'
import type { GithubSettings } from '../../settings.ts'
import { boundedFetch } from '../bounded-fetch.ts'
import { type GithubPerson, checkApi, readPerson } from './api.ts'
import { type GithubTokens, SCOPES, tokenRequestsOf } from './tokens.ts'

const Kept = z.object({ state: z.string(), verifier: z.string() })
const Refresh = z.object({
  subject: z.string(),
  accessToken: z.string(),
  /** Both only if tokens expire (GitHub Apps). */
  expiresAt: z.number().optional(),
  refreshToken: z.string().optional(),
})

/** GitHub speaks OAuth, not OpenID Connect: who the person is comes from its API. */
export function openGithubProvider(settings: GithubSettings, deps: IdentityDeps): IdentityProvider {
  const { clock } = deps
  const { id, kind, label } = settings
  const refuse = refusalsOf(settings)
  const keeps = keepsOf(settings, Kept, { clock, refuse })
  const send = boundedFetch({ label, refuse, fetch: deps.fetch })
  const tokens = tokenRequestsOf(settings, send, refuse)

  async function identify({ accessToken, expiresInMs, refreshToken }: GithubTokens): Promise<Identity> {
    const identity = identityOf(settings, await readPerson(settings, accessToken, { send, refuse }), refuse)
    const refresh = {
      subject: identity.subject,
      accessToken,
      ...(expiresInMs === undefined ? {} : { expiresAt: clock.now() + expiresInMs }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
    }
    return admit(settings, { ...identity, refresh: JSON.stringify(refresh) }, refuse)
  }

  return {
    id,
    kind,
    label,
    answersBy: 'redirect',

    begin({ redirectUri }) {
      const kept = { state: randomText(), verifier: randomText() }
      const url = new URL(`${settings.url.replace(/\/$/, '')}/login/oauth/authorize`)
      url.search = new URLSearchParams({
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        scope: SCOPES.join(' '),
        state: kept.state,
        code_challenge: createHash('sha256').update(kept.verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString()
      return Promise.resolve({ url: url.href, keep: keeps.write(kept) })
    },

    async complete({ redirectUri, url, keep }) {
      const { state, verifier } = keeps.read(keep)
      const answer = url.searchParams
      if (answer.get('state') !== state)
        throw refuse('not-started', `The answer of ${label} is for another sign-in.`)
      const error = answer.get('error')
      if (error === 'access_denied') throw refuse('denied', `The sign-in with ${label} was cancelled.`)
      if (error !== null) throw refuse('misconfigured', `${label} refuses the sign-in: ${quoted(error)}.`)
      const code = answer.get('code') ?? ''
      return await identify(await tokens.ask({ code, redirect_uri: redirectUri, code_verifier: verifier }))
    },

    refresh: (refresh) =>
      unlessEnded(async () => {
        const { subject, expiresAt, ...current } = Refresh.parse(JSON.parse(refresh))
        const { refreshToken } = current
        const isExpired = expiresAt !== undefined && clock.now() >= expiresAt
        const person =
          isExpired && refreshToken !== undefined
            ? await identify(await tokens.ask({ grant_type: 'refresh_token', refresh_token: refreshToken }))
            : await identify({
                accessToken: current.accessToken,
                ...(expiresAt === undefined ? {} : { expiresInMs: expiresAt - clock.now() }),
                ...(refreshToken === undefined ? {} : { refreshToken }),
              })
        if (person.subject !== subject) throw refuse('denied', `${label} answered for another person.`)
        return person
      }),

    async check({ redirectUri }) {
      await tokens.checkClient(redirectUri)
      const api = await checkApi(settings, send, refuse)
      return {
        facts: { API: api, Scopes: SCOPES.join(' '), 'Authorization callback URL to register': redirectUri },
        warnings:
          settings.allowedOrganizations === undefined &&
          settings.allowedGroups === undefined &&
          settings.allowedEmailDomains === undefined
            ? [
                `Everyone with an account at ${new URL(settings.url).host} can sign in. Set allowedOrganizations to admit members only.`,
              ]
            : [],
      }
    },
  }
}

/** Groups are `org` and `org/team-slug`, in lower case: GitHub does not distinguish it. */
function identityOf(settings: GithubSettings, person: GithubPerson, refuse: Refuse): Identity {
  const { label, allowedOrganizations: allowed } = settings
  const own = person.organizations.map((name) => name.toLowerCase())
  const seen = allowed === undefined ? own : own.filter((name) => allowed.includes(name))
  if (person.isPartial && (allowed === undefined || seen.length < allowed.length))
    throw refuse(
      'not-admitted',
      `${label} hides an organization of yours from OpenTaco, because it requires single sign-on.`,
      `Open the settings of your account at ${label}, Applications, Authorized OAuth Apps, grant OpenTaco access to ` +
        'the organization, then sign in again.',
    )
  if (allowed !== undefined && seen.length === 0)
    throw refuse(
      'not-admitted',
      `Your account at ${label} is in none of the organizations that may sign in here.`,
      'If you are a member, an owner of the organization may have to approve OpenTaco as an OAuth app first.',
    )
  const teams = person.teams.flatMap(({ slug, organization, parent }) => {
    const org = organization.login.toLowerCase()
    if (!seen.includes(org)) return []
    return [slug, ...(parent == null ? [] : [parent.slug])].map((name) => `${org}/${name.toLowerCase()}`)
  })
  const primary = person.emails.find((email) => email.primary)
  return {
    subject: String(person.user.id),
    login: person.user.login,
    ...(person.user.name == null || person.user.name === '' ? {} : { displayName: person.user.name }),
    ...(primary === undefined ? {} : { email: { address: primary.email, isVerified: primary.verified } }),
    groups: [...seen, ...teams],
  }
}
