import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dirent, Stats } from 'node:fs'
import type { FileKind, FileStat, FsOps, ReadableFile, WritableFile } from './fs-ops.ts'

/** Reads up to this size are made at once: they cost less than the way to the thread pool and back. */
const SMALL_READ = 512 * 1024
/** One that took longer met the disk and not the system's memory: the next ones of that file do not hold up the rest. */
const SLOW_READ_MS = 1
/** A folder that had more names at the last look at it is read off the main thread. */
const BIG_FOLDER = 512
/** A walk through ten thousand folders without a pause would block everything else for a second. */
const FOLDERS_PER_TURN = 64

export function nodeFs(): FsOps {
  const bigFolders = new Set<string>()
  let foldersRead = 0
  const syncs = new Map<string, { running: Promise<void>; next: Promise<void> | undefined }>()
  return {
    now: () => Date.now(),
    sleep: async (ms) => void (await sleep(ms)),
    lstat,
    readlink: (path) => unless(['ENOENT', 'EINVAL', 'ENOTDIR'], undefined, () => fs.readlinkSync(path)),
    readdir(path) {
      if (bigFolders.has(path) || ++foldersRead % FOLDERS_PER_TURN === 0) return readAside(path, bigFolders)
      const entries = unless(['ENOENT', 'ENOTDIR'], undefined, () =>
        fs.readdirSync(path, { withFileTypes: true }),
      )
      if (entries !== undefined && entries.length > BIG_FOLDER) bigFolders.add(path)
      return entries?.map(entryOf)
    },
    realpath: (path) => unless(['ENOENT', 'ENOTDIR'], undefined, () => fs.realpathSync(path)),
    mkdir: (path) => unless(['EEXIST'], false, () => (fs.mkdirSync(path, 0o700), true)),
    link: (from, to) => unless(['EEXIST'], false, () => (fs.linkSync(from, to), true)),
    symlink: (text, path) => unless(['EEXIST'], false, () => (fs.symlinkSync(text, path), true)),
    rename: (from, to) => unless(['ENOENT'], false, () => (fs.renameSync(from, to), true)),
    unlink: (path) => unless(['ENOENT'], false, () => (fs.unlinkSync(path), true)),
    rmdir: (path) =>
      unless(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'], false, () => (fs.rmdirSync(path), true)),
    create: (path, mode) => unless(['EEXIST'], undefined, () => writable(createFile(path, mode))),
    open: (path) =>
      unless(['ENOENT', 'ENOTDIR', 'ELOOP'], undefined, () => readable(fs.openSync(path, OPEN_FLAGS))),
    syncFolder: (path) => groupSync(syncs, path),
  }
}

const IF_THERE = { throwIfNoEntry: false } as const

/** Called several times for every state that is read, so it avoids the closure of `unless`. */
function lstat(path: string): FileStat | undefined {
  try {
    const stat = fs.lstatSync(path, IF_THERE)
    return stat === undefined ? undefined : statOf(stat)
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

const OPEN_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW

/** Calls that arrive during a sync share the next one, which covers everything they did before it. */
function groupSync(
  syncs: Map<string, { running: Promise<void>; next: Promise<void> | undefined }>,
  path: string,
): Promise<void> {
  const state = syncs.get(path)
  if (state === undefined) {
    const running = syncNow(path).finally(() => {
      if (syncs.get(path)?.next === undefined) syncs.delete(path)
    })
    syncs.set(path, { running, next: undefined })
    return running
  }
  state.next ??= state.running.then(
    () => startNext(),
    () => startNext(),
  )
  return state.next

  function startNext(): Promise<void> {
    syncs.delete(path)
    return groupSync(syncs, path)
  }
}

async function syncNow(path: string): Promise<void> {
  const fd = fs.openSync(path, 'r')
  try {
    await new Promise<void>((resolve, reject) => fs.fsync(fd, (error) => (error ? reject(error) : resolve())))
  } finally {
    fs.closeSync(fd)
  }
}

async function readAside(path: string, bigFolders: Set<string>) {
  try {
    const entries = await fs.promises.readdir(path, { withFileTypes: true })
    if (entries.length > BIG_FOLDER) bigFolders.add(path)
    else bigFolders.delete(path)
    return entries.map(entryOf)
  } catch (error) {
    bigFolders.delete(path)
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** States are secrets. A mode that is given is that of a file which this one replaces, so it counts as it is. */
function createFile(path: string, mode: number | undefined): number {
  const fd = fs.openSync(path, 'wx', 0o600)
  if (mode !== undefined && mode !== 0o600) fs.fchmodSync(fd, mode)
  return fd
}

function writable(fd: number): WritableFile {
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.byteLength;) {
        at += await new Promise<number>((resolve, reject) =>
          fs.write(fd, bytes, at, bytes.byteLength - at, null, (error, count) =>
            error ? reject(error) : resolve(count),
          ),
        )
      }
    },
    // Half a microsecond more, so that no rounding on the way makes it one less.
    setTime: (microseconds) => fs.futimesSync(fd, Date.now() / 1000, (microseconds + 0.5) / 1e6),
    sync: () =>
      new Promise<void>((resolve, reject) => fs.fsync(fd, (error) => (error ? reject(error) : resolve()))),
    stat: () => statOf(fs.fstatSync(fd)),
    close: () => fs.closeSync(fd),
  }
}

function readable(fd: number): ReadableFile {
  let isSlow = false
  return {
    stat: () => statOf(fs.fstatSync(fd)),
    read(into, position) {
      if (into.byteLength <= SMALL_READ && !isSlow) {
        const started = performance.now()
        const count = fs.readSync(fd, into, 0, into.byteLength, position)
        isSlow = performance.now() - started > SLOW_READ_MS
        return count
      }
      return new Promise<number>((resolve, reject) =>
        fs.read(fd, into, 0, into.byteLength, position, (error, count) =>
          error ? reject(error) : resolve(count),
        ),
      )
    },
    close: () => fs.closeSync(fd),
  }
}

function unless<T, D>(codes: readonly string[], answer: D, act: () => T): T | D {
  try {
    return act()
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return answer
    throw error
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function statOf(stat: Stats): FileStat {
  const { size, ino, mtimeMs, ctimeMs } = stat
  return { kind: kindOf(stat), size, ino, mtimeMs, ctimeMs, mode: stat.mode & 0o777 }
}

function entryOf(entry: Dirent): { name: string; kind: FileKind } {
  return { name: entry.name, kind: kindOf(entry) }
}

function kindOf(of: Stats | Dirent): FileKind {
  if (of.isFile()) return 'file'
  if (of.isDirectory()) return 'folder'
  return of.isSymbolicLink() ? 'link' : 'other'
}
