import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TacoError } from '../base/errors.ts'
import type { Spool, SpoolFile } from '../base/spool.ts'

const CHUNK = 256 * 1024

/**
 * Temporary files that have no name as soon as they are open: whatever ends the process, the system takes them back,
 * and no other program finds the secrets in them.
 */
export function openSpool(folder: string = tmpdir()): Spool {
  return {
    async create() {
      const path = join(folder, `opentaco-${randomUUID()}`)
      try {
        const file = await open(path, 'wx+', 0o600)
        await unlink(path)
        return spoolFile(file)
      } catch (cause) {
        throw new TacoError('UNEXPECTED', `Cannot create a temporary file in ${folder}.`, {
          hint: 'Set TMPDIR to a folder with room for the largest state.',
          cause,
        })
      }
    },
  }
}

function spoolFile(file: FileHandle): SpoolFile {
  let size = 0
  let isOpen = true
  return {
    get size() {
      return size
    },
    async write(chunk) {
      for (let at = 0; at < chunk.byteLength;) {
        const { bytesWritten } = await file.write(chunk, at, chunk.byteLength - at, size)
        at += bytesWritten
        size += bytesWritten
      }
    },
    async *stream(range) {
      let at = range?.start ?? 0
      const end = Math.min(size, range === undefined ? size : range.end + 1)
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK, end - at)))
      while (at < end) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK, end - at), at)
        if (bytesRead === 0) throw new TacoError('UNEXPECTED', 'A temporary file is shorter than expected.')
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
    async dispose() {
      if (!isOpen) return
      isOpen = false
      await file.close()
    },
  }
}
