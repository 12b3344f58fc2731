import { z } from 'zod'
import { type Refuse, quoted } from '../../refusals.ts'
import type { GithubSettings } from '../../settings.ts'
import type { Send } from '../bounded-fetch.ts'

/** GitHub answers with 200 and an `error` when it refuses. */
const Answer = z.union([
  z.object({
    access_token: z.string(),
    scope: z.string().optional(),
    /** GitHub Apps whose tokens expire have these. */
    expires_in: z.number().optional(),
    refresh_token: z.string().optional(),
  }),
  z.object({ error: z.string(), error_description: z.string().optional() }),
])

export interface GithubTokens {
  readonly accessToken: string
  readonly expiresInMs?: number
  readonly refreshToken?: string
}

export interface TokenRequests {
  /** For a code or a refresh token. */
  ask(parameters: Readonly<Record<string, string>>): Promise<GithubTokens>
  /** Asks with a code that cannot exist: GitHub complains about the client before it complains about the code. */
  checkClient(redirectUri: string): Promise<void>
}

export const SCOPES = ['read:user', 'user:email', 'read:org']

export function tokenRequestsOf(settings: GithubSettings, send: Send, refuse: Refuse): TokenRequests {
  const { label, clientId, clientSecret } = settings
  const url = `${settings.url.replace(/\/$/, '')}/login/oauth/access_token`

  async function request(parameters: Readonly<Record<string, string>>): Promise<z.infer<typeof Answer>> {
    const answer = await send(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'user-agent': 'OpenTaco' },
      body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...parameters }),
    })
    const parsed = Answer.safeParse(await answer.json().catch(() => undefined))
    if (parsed.success) return parsed.data
    throw refuse('misconfigured', `There is no GitHub sign-in at ${url}.`, 'Correct url.')
  }

  return {
    async ask(parameters) {
      const answer = await request(parameters)
      if ('error' in answer) throw refusalOf(answer)
      const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = answer
      // The token of a GitHub App has no scopes, but permissions.
      const granted = scope === undefined || scope === '' ? SCOPES : scope.split(/[ ,]+/)
      if (!isGranted(granted, 'read:org', 'write:org', 'admin:org'))
        throw refuse('denied', `${label} does not let OpenTaco see your organizations and teams.`)
      return {
        accessToken,
        ...(seconds === undefined ? {} : { expiresInMs: seconds * 1000 }),
        ...(refreshToken === undefined ? {} : { refreshToken }),
      }
    },

    async checkClient(redirectUri) {
      const answer = await request({ code: 'a-code-that-cannot-exist', redirect_uri: redirectUri })
      if ('error' in answer && answer.error !== 'bad_verification_code') throw refusalOf(answer)
    },
  }

  function refusalOf({
    error,
    error_description: text,
  }: {
    error: string
    error_description?: string | undefined
  }) {
    switch (error) {
      case 'bad_verification_code':
        return refuse(
          'replayed',
          `${label} does not accept the sign-in code: it was used before or has expired.`,
        )
      case 'bad_refresh_token':
        return refuse('denied', `${label} has ended the access of OpenTaco to this account.`)
      case 'unverified_user_email':
        return refuse(
          'not-admitted',
          `Your account at ${label} has no verified primary e-mail address.`,
          'Verify the address in the settings of your account, then sign in again.',
        )
      case 'incorrect_client_credentials':
      case 'Not Found':
        return refuse(
          'misconfigured',
          `${label} does not accept the client id or the client secret of OpenTaco.`,
          'Check clientId and clientSecret in the settings of the provider.',
        )
      case 'redirect_uri_mismatch':
        return refuse(
          'misconfigured',
          `${label} does not know the redirect URI of OpenTaco.`,
          'Set the authorization callback URL of the OAuth app to the one that `taco provider check` shows.',
        )
      default:
        return refuse('misconfigured', `${label} refuses the request for a token: ${quoted(text ?? error)}.`)
    }
  }
}

function isGranted(granted: readonly string[], ...anyOf: readonly string[]): boolean {
  return anyOf.some((scope) => granted.includes(scope))
}
