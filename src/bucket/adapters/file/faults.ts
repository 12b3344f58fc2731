import { TacoError, isTacoError, messageOf } from '../../../base/errors.ts'
import { codeOf } from './fs/node-fs.ts'

/** Translates what the file system throws; our own errors pass. */
export function faultOf(error: unknown, label: string, doing: string): unknown {
  if (isTacoError(error)) return error
  const code = codeOf(error)
  if (code === undefined) return error
  const [kind, hint] = hints[code] ?? ['BUCKET_UNAVAILABLE', 'Look at the disk and at the log of its host.']
  return new TacoError(kind, `${doing} in the folder ${label} failed: ${messageOf(error)}`, {
    hint,
    facts: { errno: code },
    cause: error,
  })
}

const hints: Readonly<
  Record<string, readonly ['BUCKET_UNAVAILABLE' | 'BUCKET_REFUSED' | 'BUCKET_UNFIT', string]>
> = {
  ENOSPC: ['BUCKET_UNAVAILABLE', 'The disk is full: free some space.'],
  EDQUOT: ['BUCKET_UNAVAILABLE', 'The disk quota is used up: raise it or free some space.'],
  EMFILE: ['BUCKET_UNAVAILABLE', 'Too many open files: raise the limit (ulimit -n).'],
  EACCES: ['BUCKET_REFUSED', 'Give the user that runs this process the right to read and write the folder.'],
  EPERM: [
    'BUCKET_REFUSED',
    'Give the user that runs this process the right to write, and use a disk with hard links.',
  ],
  EROFS: ['BUCKET_REFUSED', 'The disk is mounted read-only: mount it for writing.'],
  EISDIR: [
    'BUCKET_REFUSED',
    'A folder lies where the object should: a key cannot also be the folder of another.',
  ],
  ENOTDIR: [
    'BUCKET_REFUSED',
    'A file lies where a folder is needed: a key cannot also be the folder of another.',
  ],
  ENOTEMPTY: [
    'BUCKET_REFUSED',
    'A folder lies where the object should: a key cannot also be the folder of another.',
  ],
  ENAMETOOLONG: ['BUCKET_REFUSED', 'Choose a shorter name.'],
  ENOTSUP: ['BUCKET_UNFIT', 'Use a disk that has hard links and symbolic links.'],
  EXDEV: ['BUCKET_UNFIT', 'The folder and its .taco must lie on one disk.'],
}

/** The folder is read-only. Readers do not need to know. */
export function isReadOnly(error: unknown): boolean {
  return ['EROFS', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')
}

export function unknownOutcome(key: string): TacoError {
  return new TacoError('BUCKET_UNAVAILABLE', `whether ${JSON.stringify(key)} was written cannot be said`, {
    hint: 'Read it again before writing it again.',
    facts: { outcome: 'unknown' },
  })
}

export function busy(key: string): TacoError {
  return new TacoError('BUCKET_UNAVAILABLE', `${JSON.stringify(key)} changes faster than it can be read`, {
    hint: 'Try again in a moment.',
  })
}

export function goneFolder(label: string): TacoError {
  return new TacoError('BUCKET_UNAVAILABLE', `${label} cannot be used now: it is not there any more`, {
    hint: 'Mount its disk again, or copy the bucket back.',
  })
}

export function noFolder(label: string): TacoError {
  return new TacoError('NOT_FOUND', `there is no bucket at ${label}: no such folder`, {
    hint: 'Look at the path. What creates or stores something makes the folder, `taco unit create` for example.',
    facts: { field: 'bucket' },
  })
}
