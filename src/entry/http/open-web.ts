import { createCookies } from './kit/cookies.ts'
import type { Face } from './kit/routes/dispatch.ts'
import type { WebServices } from './web/services.ts'

export type WebOptions = Omit<WebServices, 'cookies' | 'assets'>

/** The pages. Loaded lazily: a command that runs without a server has no use for them. */
export async function openWebFace(options: WebOptions): Promise<Face> {
  const [{ createWebFace }, { loadAssets }, { ASSETS_FOLDER, ASSETS_PREFIX }] = await Promise.all([
    import('./web/face.ts'),
    import('./kit/response/assets.ts'),
    import('./web/asset-folder.ts'),
  ])
  return createWebFace({
    ...options,
    cookies: createCookies({ isSecure: options.publicUrl?.startsWith('https:') === true }),
    assets: loadAssets(ASSETS_FOLDER, ASSETS_PREFIX),
  })
}
