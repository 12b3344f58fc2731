import type { IdentityDeps, IdentityProvider, ProviderKind, ProviderSettings } from '../access/index.ts'

/** One entry per kind; each is loaded only when it is used, because they bring large libraries along. */
const OPENERS: {
  readonly [K in ProviderKind]: (
    settings: Extract<ProviderSettings, { kind: K }>,
    deps: IdentityDeps,
  ) => Promise<IdentityProvider>
} = {
  oidc: async (settings, deps) =>
    (await import('../access/identity/adapters/oidc/provider.ts')).openOidcProvider(settings, deps),
  github: async (settings, deps) =>
    (await import('../access/identity/adapters/github/provider.ts')).openGithubProvider(settings, deps),
  saml: async (settings, deps) =>
    (await import('../access/identity/adapters/saml/provider.ts')).openSamlProvider(settings, deps),
}

/** Talks to no one yet: a provider that is down does not keep a server from starting. */
export function openIdentityProvider<K extends ProviderKind>(
  settings: Extract<ProviderSettings, { kind: K }>,
  deps: IdentityDeps,
): Promise<IdentityProvider> {
  return OPENERS[settings.kind](settings, deps)
}
