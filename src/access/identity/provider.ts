import type { Clock } from '../../base/clock.ts'
import type { ProviderKind } from './settings.ts'

/** What a provider vouches for about a person. People are found by provider and `subject`, never by e-mail. */
export interface Identity {
  /** Identifies the person within the provider. Stays the same when names change; never given to another person. */
  readonly subject: string
  /** The name that the provider suggests. Not unique, and people can often change it. */
  readonly login?: string
  readonly displayName?: string
  /** Counts only if `isVerified`. */
  readonly email?: { readonly address: string; readonly isVerified: boolean }
  /** Complete: a provider that cannot read all groups refuses, because a deny rule may depend on the missing ones. */
  readonly groups: readonly string[]
  /** For `refresh`. A secret: seal it before it is stored. */
  readonly refresh?: string
}

export interface SignInStart {
  /** Send the browser there. */
  readonly url: string
  /** Needed by `complete`: seal it into a short-lived cookie of this browser. Expires after ten minutes. */
  readonly keep: string
}

export interface SignInAnswer {
  /** The same as in `begin`. From the configured public URL, never from the request. */
  readonly redirectUri: string
  /** The callback as requested; only its query counts. */
  readonly url: URL
  /** The body, when the provider answers by `post`. */
  readonly form?: URLSearchParams
  /** Undefined if the browser sent no such cookie. */
  readonly keep: string | undefined
}

export interface ProviderCheck {
  /** What was found, in words for an administrator: `Issuer` → `https://…`. */
  readonly facts: Readonly<Record<string, string>>
  /** Sign-in works, but not everything that the settings ask for. Full sentences. */
  readonly warnings: readonly string[]
}

/**
 * One configured way to sign in. Every refusal is a TacoError with a hint: UNAUTHENTICATED (start again), FORBIDDEN (the
 * person is not admitted), PROVIDER_UNAVAILABLE (try later) or PROVIDER_REFUSED (for the administrator).
 * `facts.provider` names the provider and `facts.reason` is a `RefusalReason`.
 */
export interface IdentityProvider {
  readonly id: string
  readonly kind: ProviderKind
  /** For the button: `Sign in with <label>`. */
  readonly label: string
  /**
   * How the answer reaches the callback. A `post` comes from another site, so the browser sends its cookie only if it
   * is `SameSite=None; Secure`.
   */
  readonly answersBy: 'redirect' | 'post'
  begin(options: { readonly redirectUri: string }): Promise<SignInStart>
  complete(answer: SignInAnswer): Promise<Identity>
  /**
   * Reads the person again. Store the `refresh` of the answer: most providers accept each only once. Undefined if the
   * provider no longer vouches for the person, or the settings no longer admit them: end their sessions. Throws if the
   * provider cannot be asked.
   */
  refresh?(refresh: string): Promise<Identity | undefined>
  /** SAML: the XML that the administrator of the provider imports. Public. */
  metadata?(options: { readonly redirectUri: string }): Promise<string>
  /** Talks to the provider, so that an administrator learns at once that the settings are wrong. */
  check(options: { readonly redirectUri: string }): Promise<ProviderCheck>
}

export type RefusalReason =
  | 'not-started' // no sign-in was begun in this browser, it is too old, or the state is another one
  | 'denied' // the person or the provider said no
  | 'replayed' // the answer was used before
  | 'invalid' // forged, expired, meant for someone else, or incomplete
  | 'not-admitted' // the settings do not let this person in
  | 'unavailable'
  | 'misconfigured'

/** Remembers what may be used once, on all servers. */
export interface SingleUse {
  /** False if `id` was claimed before. The claim may be forgotten after `until` (milliseconds since the epoch). */
  claim(id: string, until: number): Promise<boolean>
}

export interface IdentityDeps {
  readonly clock: Clock
  readonly singleUse: SingleUse
  /** For tests. */
  readonly fetch?: typeof fetch
}
