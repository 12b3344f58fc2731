import { createFailedAttempts } from './auth/failed-attempts.ts'
import { createRateLimit } from './auth/rate-limit.ts'
import { createCookies } from './kit/cookies.ts'
import type { Face } from './kit/routes/dispatch.ts'
import type { WebServices } from './web/services.ts'

export type WebOptions = Omit<
  WebServices,
  'cookies' | 'assets' | 'hasPage' | 'lastPages' | 'signInLimit' | 'newTokenLimit' | 'codeGuesses'
>

/** Of one address, or IPv6 /64. */
const CREDENTIAL_RULES = { burst: 30, perSecond: 1 / 2, callers: 10_000 }
/** Wrong codes of devices, which have 34 bits. */
const GUESS_RULES = { burst: 5, perSecond: 1 / 20, callers: 10_000 }

/** The pages. Loaded lazily: a command that runs without a server has no use for them. */
export async function openWebFace(options: WebOptions): Promise<Face> {
  const [
    { createWebFace },
    { loadAssets },
    { ASSETS_FOLDER, ASSETS_PREFIX, FOREIGN_ASSETS },
    { createLastPages },
  ] = await Promise.all([
    import('./web/face.ts'),
    import('./kit/response/assets.ts'),
    import('./web/asset-folder.ts'),
    import('./web/last-pages.ts'),
  ])
  return createWebFace({
    ...options,
    cookies: createCookies({ isSecure: options.publicUrl?.startsWith('https:') === true }),
    signInLimit: createRateLimit(options.clock, CREDENTIAL_RULES),
    newTokenLimit: createRateLimit(options.clock, CREDENTIAL_RULES),
    codeGuesses: createFailedAttempts(options.clock, GUESS_RULES),
    lastPages: createLastPages(options.clock),
    assets: loadAssets(ASSETS_FOLDER, ASSETS_PREFIX, FOREIGN_ASSETS),
  })
}
