import { TacoError, isTacoError, reasonOf } from '../../../base/errors.ts'
import { codeOf } from './fs/node-fs.ts'

/** Translates what the file system throws; our own errors pass. */
export function faultOf(error: unknown, label: string, doing: string): unknown {
  if (isTacoError(error)) return error
  const code = codeOf(error)
  if (code === undefined) return error
  const [kind, hint] = hints[code] ?? ['BUCKET_UNAVAILABLE', 'Check the disk and the system log.']
  return new TacoError(
    kind,
    `The file system failed while ${doing} in the folder ${label}: ${reasonOf(error)}.`,
    {
      hint,
      facts: { errno: code },
      cause: error,
    },
  )
}

const hints: Readonly<
  Record<string, readonly ['BUCKET_UNAVAILABLE' | 'BUCKET_REFUSED' | 'BUCKET_UNFIT', string]>
> = {
  ENOSPC: ['BUCKET_UNAVAILABLE', 'The disk is full. Free some space.'],
  EDQUOT: ['BUCKET_UNAVAILABLE', 'The disk quota is used up. Raise it or free some space.'],
  EMFILE: ['BUCKET_UNAVAILABLE', 'Too many files are open. Raise the limit (ulimit -n).'],
  EACCES: ['BUCKET_REFUSED', 'Allow the user of this process to read and write the folder.'],
  EPERM: ['BUCKET_REFUSED', 'Allow the user of this process to write, and use a disk with hard links.'],
  EROFS: ['BUCKET_REFUSED', 'The disk is mounted read-only. Mount it for writing.'],
  EISDIR: [
    'BUCKET_REFUSED',
    'The path of the object is a folder. A key cannot also be the folder of another key.',
  ],
  ENOTDIR: ['BUCKET_REFUSED', 'Part of the path is a file. A key cannot also be the folder of another key.'],
  ENOTEMPTY: [
    'BUCKET_REFUSED',
    'The path of the object is a folder. A key cannot also be the folder of another key.',
  ],
  ENAMETOOLONG: ['BUCKET_REFUSED', 'Choose a shorter name.'],
  ENOTSUP: ['BUCKET_UNFIT', 'Use a disk that has hard links and symbolic links.'],
  EXDEV: ['BUCKET_UNFIT', 'The folder and its .taco must be on one disk.'],
}

/** The folder is read-only. Readers do not need to know. */
export function isReadOnly(error: unknown): boolean {
  return ['EROFS', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')
}

export function unknownOutcome(key: string): TacoError {
  return new TacoError('BUCKET_UNAVAILABLE', `The outcome of writing ${JSON.stringify(key)} is unknown.`, {
    hint: 'Read it before you write it again.',
    facts: { outcome: 'unknown' },
  })
}

export function busy(key: string): TacoError {
  return new TacoError('BUCKET_UNAVAILABLE', `${JSON.stringify(key)} changes faster than it can be read.`, {
    hint: 'Try again in a moment.',
  })
}

export function goneFolder(label: string): TacoError {
  return new TacoError(
    'BUCKET_UNAVAILABLE',
    `The bucket ${label} is unavailable: the folder no longer exists.`,
    {
      hint: 'Mount its disk again, or restore the bucket from a backup.',
    },
  )
}

export function noFolder(label: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no bucket at ${label}: the folder does not exist.`, {
    hint: 'Check the path. The first command that writes creates the folder, for example `taco unit create`.',
    facts: { field: 'bucket' },
  })
}
