import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { takesGzip } from './compress.ts'
import type { ReplyHeaders } from './reply.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface AssetReply {
  readonly status: 200
  readonly type: string
  readonly text: Uint8Array
  readonly headers: ReplyHeaders
}

/** Files that pages are made of. */
export interface Assets {
  /** The address of a file. It names the content, so it can be cached for ever. */
  pathOf(file: string): string
  /** Undefined: there is no such asset. */
  reply(name: string, acceptEncoding: string | undefined): AssetReply | undefined
}

/**
 * All files of a folder, read once. Files of other types are not for browsers. `others`: files from elsewhere, by the
 * name that they get.
 */
export function loadAssets(
  folder: string,
  prefix: string,
  others: Readonly<Record<string, string>> = {},
): Assets {
  const own = readdirSync(folder).map((file) => [file, join(folder, file)] as const)
  const files = [...own, ...Object.entries(others)].flatMap(([file, path]) => {
    const type = TYPES[extname(file)]
    if (type === undefined) return []
    const bytes = readFileSync(path)
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
    const name = `${file.slice(0, -extname(file).length)}-${hash}${extname(file)}`
    return [{ file, name, type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }]
  })
  const byName = new Map(files.map((found) => [found.name, found]))
  const paths = new Map(files.map(({ file, name }) => [file, prefix + name]))

  return {
    pathOf(file) {
      const path = paths.get(file)
      if (path === undefined) throw new Error(`there is no asset ${file}`)
      return path
    },
    reply(name, acceptEncoding) {
      const found = byName.get(name)
      if (found === undefined) return undefined
      const { type, bytes, gzipped } = found
      const isSmaller = takesGzip(acceptEncoding)
      const headers = {
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        ...(isSmaller ? { 'content-encoding': 'gzip' } : {}),
      }
      return { status: 200, type, text: isSmaller ? gzipped : bytes, headers }
    },
  }
}
