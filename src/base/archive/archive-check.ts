import { createGunzip } from 'node:zlib'
import { TacoError } from '../errors.ts'
import { ArchiveTree } from './archive-tree.ts'

export interface ArchiveLimits {
  /** Files, folders and links. */
  readonly maxEntries: number
  /** Unpacked. */
  readonly maxBytes: number
}

/** A tar archive, compressed with gzip, checked while it comes in. Nothing is unpacked. */
export interface ArchiveCheck {
  /** Throws ARCHIVE_INVALID. The chunk may be used again afterwards. */
  push(chunk: Uint8Array): Promise<void>
  /** After the last chunk. Throws ARCHIVE_INVALID, also for an archive that ends early. */
  finish(): Promise<void>
}

const BLOCK = 512
/** The parser would decompress these a second time, and nobody would count what comes out. */
const COMPRESSED: readonly (readonly number[])[] = [
  [0x1f, 0x8b],
  [0x28, 0xb5, 0x2f, 0xfd],
]

export async function createArchiveCheck(limits: ArchiveLimits): Promise<ArchiveCheck> {
  // A large library, for a few requests only.
  const { Parser } = await import('tar')
  const tree = new ArchiveTree()
  const gunzip = createGunzip()
  let fault: TacoError | undefined
  let isAtEnd = false
  let entries = 0
  let bytes = 0
  let first: Buffer | undefined = Buffer.alloc(0)

  function refuse(why: string): void {
    if (fault !== undefined) return
    fault = new TacoError('ARCHIVE_INVALID', `The archive was refused: ${why}.`, {
      facts: { field: 'body' },
      hint: 'Send a tar archive, compressed with gzip, whose files, folders and links stay in one folder.',
    })
    gunzip.destroy()
  }

  const parser = new Parser({
    // Every entry is looked at in `ignoredEntry`, unknown kinds too; none is read.
    filter: () => false,
    onwarn(code: string, message: string | Error) {
      // An archive without an entry is an empty folder.
      if (code === 'TAR_BAD_ARCHIVE' && isAtEnd && entries === 0) return
      refuse(`it is not a valid tar archive (${String(message)})`)
    },
  })
  parser.on('eof', () => (isAtEnd = true))
  parser.on('ignoredEntry', (entry) => {
    if (entry.meta) return refuse('a header is too large')
    if (++entries > limits.maxEntries) return refuse(`it has more than ${limits.maxEntries} entries`)
    const { type, path, linkpath } = entry
    const why =
      type === entry.header.type ? tree.add({ type, path, linkpath }) : 'headers contradict each other'
    if (why !== undefined) refuse(why)
  })
  parser.on('error', (error: unknown) => refuse(String(error)))

  function read(chunk: Buffer): void {
    bytes += chunk.byteLength
    if (bytes > limits.maxBytes) return refuse(`it has more than ${limits.maxBytes} bytes unpacked`)
    // What comes behind the end is not part of the archive, and the parser would keep it in memory.
    if (isAtEnd || fault !== undefined) return
    if (first === undefined) return void parser.write(chunk)
    first = Buffer.concat([first, chunk])
    if (first.byteLength < BLOCK) return
    const begin = first
    first = undefined
    if (COMPRESSED.some((magic) => magic.every((byte, at) => begin[at] === byte)))
      return refuse('it is compressed twice')
    parser.write(begin)
  }

  gunzip.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      refuse(String(error))
    }
  })
  gunzip.on('error', (error) => refuse(`it is not compressed with gzip, or is damaged (${error.message})`))
  const closed = new Promise<void>((resolve) => gunzip.once('close', resolve))

  async function until(done: Promise<void>): Promise<void> {
    await Promise.race([done, closed])
    if (fault !== undefined) throw fault
  }

  return {
    push: (chunk) =>
      fault === undefined
        ? until(new Promise((resolve) => gunzip.write(chunk, () => resolve())))
        : Promise.reject(fault),
    async finish() {
      if (fault !== undefined) throw fault
      gunzip.end()
      await until(closed)
      if (first !== undefined) refuse('it is empty')
      else parser.end()
      if (fault !== undefined) throw fault
    },
  }
}
