import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import type { Caller } from '../caller.ts'
import type { IdentityProvider, ProviderCheck } from '../identity/provider.ts'
import type { People } from '../people/people.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { type SignInProviders, refreshContext } from './read-groups.ts'
import type { SessionCookie, SessionVisit, Sessions } from './sessions.ts'

/** What the browser keeps while the person is at the identity provider. */
const Started = z.object({
  provider: z.string(),
  keep: z.string(),
  returnTo: z.string(),
  at: z.number(),
})

export const STARTED_MS = 10 * 60_000
const CONTEXT = 'sign-in'

export interface SignInFlow {
  providers(): ReturnType<SignInProviders['list']>
  /** `cookie` must come back with the answer. */
  begin(
    provider: string,
    returnTo: string,
  ): Promise<{
    readonly url: string
    readonly cookie: string
    /** True: the answer comes as a form from the provider's site. */
    readonly isPosted: boolean
  }>
  complete(
    provider: string,
    answer: {
      readonly url: URL
      readonly form?: URLSearchParams
      readonly cookie: string | undefined
      readonly visit: SessionVisit
    },
    caller: Caller,
  ): Promise<{ readonly session: SessionCookie; readonly returnTo: string }>
  /** What the administrator of a SAML provider imports. Public. */
  metadata(provider: string): Promise<string>
  /** Asks the provider whether its settings can work. */
  check(provider: string): Promise<ProviderCheck>
}

/** From the button on the sign-in page to a session. */
export function createSignInFlow(deps: {
  readonly clock: Clock
  readonly keys: KeyRing
  /** Redirect URIs come from it, never from a request. */
  readonly publicUrl: string
  readonly providers: SignInProviders
  readonly people: Pick<People, 'signIn'>
  readonly sessions: Pick<Sessions, 'begin'>
}): SignInFlow {
  const { clock, keys, providers, people, sessions } = deps

  async function found(id: string): Promise<IdentityProvider> {
    const provider = await providers.find(id)
    if (provider !== undefined) return provider
    throw new TacoError('NOT_FOUND', `There is no sign-in provider ${id}.`, {
      facts: { field: 'provider', provider: id },
      hint: 'Choose one on the sign-in page.',
    })
  }

  const redirectUri = (id: string) =>
    `${deps.publicUrl.replace(/\/$/, '')}/sign-in/${encodeURIComponent(id)}/callback`

  /** Undefined: nothing was begun in this browser, or too long ago. */
  function startedBy(cookie: string | undefined, provider: string) {
    if (cookie === undefined) return undefined
    try {
      const { data } = Started.safeParse(JSON.parse(keys.open(cookie, CONTEXT).toString()))
      return data?.provider === provider && clock.now() - data.at < STARTED_MS ? data : undefined
    } catch (error) {
      if (isTacoError(error) || error instanceof SyntaxError) return undefined
      throw error
    }
  }

  return {
    providers: () => providers.list(),

    async begin(id, returnTo) {
      const provider = await found(id)
      const { url, keep } = await provider.begin({ redirectUri: redirectUri(id) })
      const started: z.infer<typeof Started> = { provider: id, keep, returnTo, at: clock.now() }
      return {
        url,
        cookie: keys.seal(JSON.stringify(started), CONTEXT),
        isPosted: provider.answersBy === 'post',
      }
    },

    async complete(id, { url, form, cookie, visit }, caller) {
      const provider = await found(id)
      const started = startedBy(cookie, id)
      const identity = await provider.complete({
        redirectUri: redirectUri(id),
        url,
        keep: started?.keep,
        ...(form === undefined ? {} : { form }),
      })
      const { subject, refresh } = identity
      const sealed = refresh && keys.seal(refresh, refreshContext({ provider: id, subject }))
      const person = await people.signIn({ ...identity, provider: id, refresh: sealed }, caller)
      if (person.suspended !== undefined)
        throw new TacoError('FORBIDDEN', 'Your account is suspended.', {
          facts: { provider: id },
          hint: 'Ask an administrator of this server.',
        })
      return {
        session: await sessions.begin(person, id, visit, caller),
        returnTo: started?.returnTo ?? '/',
      }
    },

    async metadata(id) {
      const { metadata } = await found(id)
      if (metadata !== undefined) return await metadata({ redirectUri: redirectUri(id) })
      throw new TacoError('NOT_FOUND', `The sign-in provider ${id} has no metadata.`, {
        facts: { field: 'provider', provider: id },
        hint: 'Only providers of kind saml have.',
      })
    },

    check: async (id) => (await found(id)).check({ redirectUri: redirectUri(id) }),
  }
}
