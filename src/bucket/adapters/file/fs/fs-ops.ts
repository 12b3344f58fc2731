/**
 * Everything the folder needs from a file system, one system call per method, so that a test can interfere between any
 * two of them. Expected outcomes are return values (undefined, false, 'exists'); everything else is thrown as Node
 * throws it.
 */
export interface FsOps {
  /** Milliseconds since the epoch. */
  now(): number
  sleep(ms: number): Promise<void>

  lstat(path: string): Maybe<FileStat | undefined>
  readlink(path: string): Maybe<string | undefined>
  /** Undefined when there is no such folder. */
  readdir(path: string): Maybe<readonly FolderEntry[] | undefined>
  realpath(path: string): Maybe<string | undefined>

  /** For the owner alone. False when it is there already. */
  mkdir(path: string): Maybe<boolean>
  /** A hard link: the exclusive claim. False when `to` is there already. */
  link(from: string, to: string): Maybe<boolean>
  /** False when `path` is there already. */
  symlink(text: string, path: string): Maybe<boolean>
  /** False when there is no `from`. */
  rename(from: string, to: string): Maybe<boolean>
  /** False when it was not there. */
  unlink(path: string): Maybe<boolean>

  /** Removes an empty folder. False when something is in it, or it is not there. */
  rmdir(path: string): Maybe<boolean>

  /** Exclusive; undefined when it is there already. For the owner alone, unless another mode is given. */
  create(path: string, mode?: number): Maybe<WritableFile | undefined>
  open(path: string): Maybe<ReadableFile | undefined>
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>
}

/** Real system calls of a microsecond answer at once: a trip through the thread pool costs ten times as much. */
export type Maybe<T> = T | Promise<T>

export type FileKind = 'file' | 'folder' | 'link' | 'other'

export interface FolderEntry {
  readonly name: string
  readonly kind: FileKind
}

export interface FileStat {
  readonly kind: FileKind
  readonly size: number
  readonly ino: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  /** The owner and mode, where they exist. */
  readonly mode?: number
}

export interface WritableFile {
  write(bytes: Uint8Array): Promise<void>
  /** Sets the time of the last change, in microseconds since the epoch. */
  setTime(microseconds: number): Maybe<void>
  sync(): Promise<void>
  stat(): Maybe<FileStat>
  close(): Maybe<void>
}

export interface ReadableFile {
  stat(): Maybe<FileStat>
  /** Fills as much of `into` as there is from `position` on, and returns how much. */
  read(into: Uint8Array, position: number): Maybe<number>
  close(): Maybe<void>
}

/** Microseconds: what every file system here keeps, and what a number holds exactly. */
export function changedAt(stat: FileStat): number {
  return Math.floor(stat.mtimeMs * 1000)
}
