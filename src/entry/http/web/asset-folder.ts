import { join } from 'node:path'

/** Set by tools/build.mjs, which puts the files elsewhere. */
declare const TACO_WEB_ASSETS: string | undefined

export const ASSETS_FOLDER = join(
  import.meta.dirname,
  typeof TACO_WEB_ASSETS === 'undefined' ? 'assets' : TACO_WEB_ASSETS,
)
export const ASSETS_PREFIX = '/assets/'
