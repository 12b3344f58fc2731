import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { ModuleFile } from './module-metadata.ts'

/** How much of an archive is looked at. A module that is written by hand is far below. */
export interface ModuleFileLimits {
  readonly maxFileBytes: number
  readonly maxBytes: number
  readonly maxFiles: number
  /** Unpacked: what comes later is not looked at. */
  readonly maxArchiveBytes: number
}

const LIMITS: ModuleFileLimits = {
  maxFileBytes: 256 * 1024,
  maxBytes: 2 * 2 ** 20,
  maxFiles: 400,
  maxArchiveBytes: 200 * 2 ** 20,
}

export interface PickedFiles {
  readonly files: readonly ModuleFile[]
  /** What was left out, in sentences. */
  readonly faults: readonly string[]
}

const CODE = /\.(tf|tofu)(\.json)?$/
const README = /^readme(\.(md|markdown|txt))?$/i
/** The folders that the standard structure of modules names. */
const PART = /^((modules|examples)\/[^/]+\/)?[^/]+$/

/** Whether a file says something about the module. Pure. */
export function isDescribing(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return PART.test(path) && (CODE.test(name) || README.test(name))
}

/** The files of an archive that describe a module. The archive was checked before: nothing is unpacked to a disk. */
export async function pickModuleFiles(
  archive: AsyncIterable<Uint8Array>,
  limits: ModuleFileLimits = LIMITS,
): Promise<PickedFiles> {
  const { Parser } = await import('tar')
  const files: ModuleFile[] = []
  const faults: string[] = []
  let bytes = 0

  /** Why a file is left out. Undefined: it is taken. */
  function refusal(path: string, size: number): string | undefined {
    if (size > limits.maxFileBytes)
      return `${path} has more than ${limits.maxFileBytes} bytes and was not read.`
    if (files.length >= limits.maxFiles || bytes + size > limits.maxBytes)
      return 'The module has more code than is read here; some of it is missing.'
    return undefined
  }

  const parser = new Parser({
    filter: (path) => isDescribing(relative(path)),
    onReadEntry(entry) {
      const path = relative(entry.path)
      const isFile = entry.type === 'File' || entry.type === 'OldFile'
      const why = isFile ? refusal(path, entry.size) : undefined
      if (why !== undefined && !faults.includes(why)) faults.push(why)
      if (!isFile || why !== undefined) return void entry.resume()
      bytes += entry.size
      const parts: Buffer[] = []
      // Copied: the parser uses its buffers again.
      entry.on('data', (part: Buffer) => parts.push(Buffer.from(part)))
      entry.on('end', () => files.push({ path, text: Buffer.concat(parts).toString('utf8') }))
      return undefined
    },
  })
  // What fails on the way ends the loop, and a loop that ends early ends what comes before it.
  const gunzip = pipeline(Readable.from(copied(archive)), createGunzip(), () => {})
  let unpacked = 0
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    unpacked += chunk.byteLength
    if (unpacked > limits.maxArchiveBytes) {
      faults.push('The archive is large; what comes late in it was not read.')
      break
    }
    parser.write(chunk)
  }
  return { files, faults }
}

/** A chunk is valid until the next one is requested, and a pipe requests ahead. */
async function* copied(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield new Uint8Array(chunk)
}

function relative(path: string): string {
  return path.replace(/^(\.\/)+/, '')
}
