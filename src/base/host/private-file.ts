import { closeSync, fchmodSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { TacoError } from '../errors.ts'

/**
 * Replaces a file by a new one that only its owner can read. A link at that place is replaced, never followed, and the
 * mode of an older file is not kept: a repository may contain either. Without promises: loading those takes longer than
 * the writing.
 */
export function writePrivately(path: string, text: string): void {
  refuseDevices(path)
  const temporary = besides(path)
  // Exclusive: it follows no link, and opens nothing that is already there.
  const file = openSync(temporary, 'wx', 0o600)
  try {
    try {
      fchmodSync(file, 0o600)
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Fails where `writePrivately` would, and leaves nothing behind. */
export function checkWritable(path: string): void {
  refuseDevices(path)
  const temporary = besides(path)
  closeSync(openSync(temporary, 'wx', 0o600))
  rmSync(temporary, { force: true })
}

/** A name in the same folder that no other process uses, and that no killed one has left. */
export function besides(path: string): string {
  return `${path}.${process.pid}-${process.hrtime.bigint()}.tmp`
}

/** Renaming a file over `/dev/stdout` or a pipe would destroy it for everyone. */
export function refuseDevices(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  throw new TacoError('BAD_REQUEST', `${path} is not a regular file.`, { hint: 'Name a regular file.' })
}
