import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Set by tools/build.mjs, which puts the files elsewhere. */
declare const TACO_WEB_ASSETS: string | undefined

const isBuilt = typeof TACO_WEB_ASSETS !== 'undefined'

export const ASSETS_FOLDER = join(import.meta.dirname, isBuilt ? TACO_WEB_ASSETS : 'assets')

/** Files of others, by the name under which pages use them. A build puts them beside our own. */
export const FOREIGN_ASSETS: Readonly<Record<string, string>> = isBuilt
  ? {}
  : { 'htmx.js': createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js') }

export const ASSETS_PREFIX = '/assets/'
