import { crc32, gzipSync } from 'node:zlib'
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

/** A zip file with one executable file, stored without compression. */
export function zipOf(name: string, text: string): Buffer {
  const path = Buffer.from(name)
  const content = Buffer.from(text)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt32LE(crc32(content), 10)
  common.writeUInt32LE(content.length, 14)
  common.writeUInt32LE(content.length, 18)
  common.writeUInt16LE(path.length, 22)
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, path, content])
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE((0o100755 << 16) >>> 0, 6)
  const central = Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), common, rest, path])
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(local.length, 12)
  return Buffer.concat([local, central, Buffer.from('PK\u0005\u0006'), end])
}
