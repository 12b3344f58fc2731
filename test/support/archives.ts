import { gzipSync } from 'node:zlib'
import { Header, type HeaderData } from 'tar'

export interface PackedEntry {
  readonly path: string
  /** Default: a file. */
  readonly type?: HeaderData['type']
  readonly linkpath?: string
  readonly content?: string | Buffer
}

/** A tar archive with these very entries, whatever they say. */
export function tarOf(entries: readonly PackedEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, type = 'File', linkpath, content = '' }) => {
    const bytes = Buffer.from(content)
    const header = new Header({ path, type, size: bytes.byteLength, mode: 0o644 })
    if (linkpath !== undefined) header.linkpath = linkpath
    const block = Buffer.alloc(512)
    header.encode(block)
    return [block, bytes, Buffer.alloc((512 - (bytes.byteLength % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

export function archiveOf(entries: readonly PackedEntry[]): Buffer {
  return gzipSync(tarOf(entries))
}
