import type { IdentityDeps, IdentityProvider, ServerSettings, SignInProviders } from '../access/index.ts'
import { openIdentityProvider } from './identity-providers.ts'

/** The configured providers, opened when they are used and again when their settings change. */
export function createSignInProviders(
  settings: Pick<ServerSettings, 'fresh' | 'provider'>,
  deps: IdentityDeps,
): SignInProviders {
  const opened = new Map<string, { readonly sealed: string; readonly provider: IdentityProvider }>()
  return {
    list: async () => (await settings.fresh()).providers,
    async find(id) {
      const stored = (await settings.fresh()).providers.find((one) => one.id === id)
      if (stored === undefined) return undefined
      const known = opened.get(id)
      if (known?.sealed === stored.sealed) return known.provider
      const found = await settings.provider(id)
      if (found === undefined) return undefined
      const provider = await openIdentityProvider(found, deps)
      opened.set(id, { sealed: stored.sealed, provider })
      return provider
    },
  }
}
