/** The promises of src/access/identity/provider.ts as tests. Every adapter runs them against a real provider. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Identity, IdentityProvider, ProviderSettings, SignInAnswer } from '../../src/access/index.ts'
import { parseProviderSettings } from '../../src/access/index.ts'
import { isTacoError } from '../../src/base/errors.ts'
import { openIdentityProvider } from '../../src/wire/identity-providers.ts'

/** What the provider returns to the callback. */
export type ProviderAnswer = Pick<SignInAnswer, 'url' | 'form'>

export interface IdentityWorld {
  readonly settings: Readonly<Record<string, unknown>>
  /** What makes an answer come from `alice`, who has a verified address and the groups `platform` and `ops`. */
  signIn(url: string, who: string): Promise<ProviderAnswer>
  /** The person says no. */
  cancel(url: string): Promise<ProviderAnswer>
  /** `bare`: the provider knows nothing of them but the subject. */
  readonly people: { readonly alice: string; readonly bare: string }
  /** For providers that can refresh. */
  setGroups?(who: string, groups: readonly string[]): void
  remove?(who: string): void
  setDown(isDown: boolean): void
  dispose(): Promise<void>
}

export const REDIRECT_URI = 'http://127.0.0.1:9/sign-in/test/callback'
const SECRETS = ['clientSecret', 'signingKey', 'decryptionKey']

/** Remembers in memory; and a clock that the test sets. */
export function openTestProvider(settings: unknown, fetch?: typeof globalThis.fetch) {
  const claimed = new Set<string>()
  const time = { offsetMs: 0 }
  const open = (input: unknown): Promise<IdentityProvider> => {
    const parsed: ProviderSettings = parseProviderSettings(input)
    return openIdentityProvider(parsed, {
      clock: { now: () => Date.now() + time.offsetMs, sleep: () => Promise.resolve() },
      singleUse: {
        claim: (id) => Promise.resolve(claimed.has(id) ? false : (claimed.add(id), true)),
      },
      ...(fetch === undefined ? {} : { fetch }),
    })
  }
  return {
    provider: open(settings),
    time,
    reopen: (changes = {}) => open({ ...(settings as object), ...changes }),
  }
}

/** The refusal, which has a hint, names the provider, and contains no secret of its settings. */
export async function expectRefusal(work: Promise<unknown>, code: string, reason: string, settings: object) {
  const error = await work.then(
    (value) => expect.fail(`it was accepted: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (!isTacoError(error)) throw error
  expect({ code: error.code, ...error.facts }, error.message).toMatchObject({ code, reason })
  expect(error.hint).toMatch(/\.$/)
  expect(error.message).toMatch(/\.$/)
  expect(error.cause).toBeUndefined()
  const text = `${error.message} ${error.hint} ${JSON.stringify(error.facts)}`
  for (const name of SECRETS) {
    const secret = (settings as Record<string, unknown>)[name]
    if (typeof secret === 'string') expect(text).not.toContain(secret)
  }
  return error
}

export function identityContract(name: string, open: () => Promise<IdentityWorld>): void {
  describe(`the contract of identity providers: ${name}`, () => {
    let world: IdentityWorld
    beforeAll(async () => (world = await open()))
    afterAll(() => world.dispose())

    const opened = (changes = {}) => openTestProvider({ ...world.settings, ...changes })
    const expectRefused = (work: Promise<unknown>, code: string, reason: string) =>
      expectRefusal(work, code, reason, world.settings)

    async function answered(provider: IdentityProvider, who: string) {
      const { url, keep } = await provider.begin({ redirectUri: REDIRECT_URI })
      return { redirectUri: REDIRECT_URI, keep, ...(await world.signIn(url, who)) }
    }

    async function signedIn(provider: IdentityProvider, who: string): Promise<Identity> {
      return await provider.complete(await answered(provider, who))
    }

    test('a person signs in', async () => {
      const provider = await opened().provider

      const alice = await signedIn(provider, world.people.alice)

      expect(alice.subject).not.toBe('')
      expect(alice).toMatchObject({
        login: 'alice',
        displayName: 'Alice Adams',
        email: { address: 'alice@example.com', isVerified: true },
      })
      expect(alice.groups).toEqual(expect.arrayContaining([expect.stringContaining('platform')]))
      expect([...alice.groups]).toEqual([...new Set(alice.groups)].sort())
    })

    test('a person has the same subject each time, and others have another', async () => {
      const provider = await opened().provider

      const first = await signedIn(provider, world.people.alice)
      const second = await signedIn(provider, world.people.alice)
      const other = await signedIn(provider, world.people.bare)

      expect(second.subject).toBe(first.subject)
      expect(other.subject).not.toBe(first.subject)
    })

    test('a person of whom nothing else is known has a subject and no groups', async () => {
      const provider = await opened().provider

      const { subject, email, groups } = await signedIn(provider, world.people.bare)

      expect(subject).not.toBe('')
      expect(email).toBeUndefined()
      expect(groups).toEqual([])
    })

    test('the address has no secret, and no two are alike', async () => {
      const provider = await opened().provider

      const one = await provider.begin({ redirectUri: REDIRECT_URI })
      const two = await provider.begin({ redirectUri: REDIRECT_URI })

      expect(two.url).not.toBe(one.url)
      expect(two.keep).not.toBe(one.keep)
      for (const name of SECRETS) {
        const secret = world.settings[name]
        if (typeof secret === 'string') expect(decodeURIComponent(one.url)).not.toContain(secret)
      }
    })

    test('an answer to another sign-in is refused', async () => {
      const provider = await opened().provider
      const answer = await answered(provider, world.people.alice)
      const { keep } = await provider.begin({ redirectUri: REDIRECT_URI })

      await expectRefused(provider.complete({ ...answer, keep }), 'UNAUTHENTICATED', 'not-started')
    })

    test('an answer is of no use to another sign-in, even under its state', async () => {
      const provider = await opened().provider
      const stolen = await answered(provider, world.people.alice)
      const { keep } = await provider.begin({ redirectUri: REDIRECT_URI })
      const { values } = JSON.parse(keep) as { values: { state?: string } }
      stolen.url.searchParams.set('state', values.state ?? '')

      // Redirects are protected by PKCE, so the provider refuses; a posted answer names its request.
      const reason = provider.answersBy === 'redirect' ? 'replayed' : 'not-started'
      await expectRefused(provider.complete({ ...stolen, keep }), 'UNAUTHENTICATED', reason)
    })

    test('an answer in a browser that began no sign-in is refused', async () => {
      const { provider, reopen } = opened()
      const answer = await answered(await provider, world.people.alice)
      const { keep } = await (await reopen({ id: 'another' })).begin({ redirectUri: REDIRECT_URI })

      for (const wrong of [undefined, '', '{}', 'x', keep])
        await expectRefused(
          (await provider).complete({ ...answer, keep: wrong }),
          'UNAUTHENTICATED',
          'not-started',
        )
    })

    test('an empty answer is refused', async () => {
      const provider = await opened().provider
      const { keep } = await provider.begin({ redirectUri: REDIRECT_URI })
      const url = new URL(REDIRECT_URI)

      await expectRefused(
        provider.complete({ redirectUri: REDIRECT_URI, url, keep }),
        'UNAUTHENTICATED',
        'not-started',
      )
    })

    test('an answer that comes after ten minutes is refused', async () => {
      const { provider, time } = opened()
      const answer = await answered(await provider, world.people.alice)
      time.offsetMs = 11 * 60_000

      await expectRefused((await provider).complete(answer), 'UNAUTHENTICATED', 'not-started')
    })

    test('an answer counts once', async () => {
      const provider = await opened().provider
      const answer = await answered(provider, world.people.alice)
      await provider.complete(answer)

      await expectRefused(provider.complete(answer), 'UNAUTHENTICATED', 'replayed')
    })

    test('a person who cancels is told so', async () => {
      const provider = await opened().provider
      const { url, keep } = await provider.begin({ redirectUri: REDIRECT_URI })
      const answer = await world.cancel(url)

      await expectRefused(
        provider.complete({ redirectUri: REDIRECT_URI, keep, ...answer }),
        'UNAUTHENTICATED',
        'denied',
      )
    })

    test('a person outside the allowed groups or e-mail domains is not admitted', async () => {
      const byGroup = await opened({ allowedGroups: ['administrators'] }).provider
      const byDomain = await opened({ allowedEmailDomains: ['example.org'] }).provider
      const either = await opened({ allowedEmailDomains: ['EXAMPLE.com'] }).provider

      await expectRefused(signedIn(byGroup, world.people.alice), 'FORBIDDEN', 'not-admitted')
      await expectRefused(signedIn(byDomain, world.people.alice), 'FORBIDDEN', 'not-admitted')
      await expectRefused(signedIn(either, world.people.bare), 'FORBIDDEN', 'not-admitted')
      expect(await signedIn(either, world.people.alice)).toMatchObject({ login: 'alice' })
    })

    test('a provider that is down is said to be, and the sign-in can go on when it is back', async () => {
      const { provider, reopen } = opened()
      const answer = await answered(await provider, world.people.alice)
      const another = await reopen()
      world.setDown(true)
      try {
        await expectRefused(another.complete(answer), 'PROVIDER_UNAVAILABLE', 'unavailable')
        await expectRefused(
          another.check({ redirectUri: REDIRECT_URI }),
          'PROVIDER_UNAVAILABLE',
          'unavailable',
        )
      } finally {
        world.setDown(false)
      }

      expect(await another.complete(answer)).toMatchObject({ login: 'alice' })
    })

    test('a check finds the provider, and says which address to register there', async () => {
      const provider = await opened().provider

      const { facts } = await provider.check({ redirectUri: REDIRECT_URI })

      expect(Object.values(facts)).toContain(REDIRECT_URI)
    })

    test('where a person can be read again, new groups show and a removed person does not', async () => {
      const provider = await opened().provider
      const { refresh, subject } = await signedIn(provider, world.people.alice)
      if (provider.refresh === undefined || refresh === undefined) {
        expect(provider.refresh).toBeUndefined()
        return
      }
      world.setGroups?.(world.people.alice, ['platform', 'new-group'])

      const again = await provider.refresh(refresh)
      expect(again).toMatchObject({ subject, login: 'alice' })
      expect(again?.groups.some((group) => group.endsWith('new-group'))).toBe(true)

      world.setDown(true)
      const later = provider.refresh(again?.refresh ?? '').finally(() => world.setDown(false))
      await expectRefused(later, 'PROVIDER_UNAVAILABLE', 'unavailable')

      const strict = await opened({ allowedGroups: ['administrators'] }).provider
      expect(await strict.refresh?.(again?.refresh ?? '')).toBeUndefined()

      const { refresh: last } = await signedIn(provider, world.people.alice)
      world.remove?.(world.people.alice)
      expect(await provider.refresh(last ?? '')).toBeUndefined()
    })
  })
}
