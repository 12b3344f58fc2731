import { TEMP } from './generations/names.ts'
import { codeOf } from './fs/node-fs.ts'
import type { FsOps } from './fs/fs-ops.ts'
import type { KnownGenerations } from './generations/folder.ts'
import type { Latest } from './generations/latest.ts'

/** What every part of an open folder shares. */
export interface Context {
  readonly fs: FsOps
  readonly root: string
  readonly label: string
  readonly nonce: () => string
  readonly latest: Latest
  readonly known: KnownGenerations
  readonly rules: Rules
  /** Folders that are known to be there and durable. */
  readonly folders: Set<string>
}

/** Each is a rule without which writes get lost; a test takes one out and watches it happen. */
export interface Rules {
  /** After a claim, look whether the generation it was based upon is still there. */
  readonly checkBase: boolean
  /** Before publishing a generation, take away the copies of older ones that wait to be published. */
  readonly dropOldPending: boolean
  /** The plain file is a copy of the generation, not another name of it. */
  readonly separateCopy: boolean
}

export const allRules: Rules = { checkBase: true, dropOldPending: true, separateCopy: true }

const MOST_FOLDERS = 10_000

/** Makes a folder and those above it, each durable in the one above before anything is put into it. */
export async function ensureFolder(context: Context, folder: string): Promise<void> {
  const { fs, root, folders } = context
  if (folders.has(folder) || folder === root) return
  const parent = folder.slice(0, folder.lastIndexOf('/'))
  await ensureFolder(context, parent)
  const made = await fs.mkdir(folder)
  const stat = made ? undefined : await fs.lstat(folder)
  if (stat?.kind === 'file') throw Object.assign(new Error(`not a folder: ${folder}`), { code: 'ENOTDIR' })
  // Another process may have created it a moment ago without making it durable yet.
  await fs.syncFolder(parent)
  if (folders.size >= MOST_FOLDERS) folders.clear()
  folders.add(folder)
}

const TRIES = 5

/** Puts something into a folder. An empty folder that was unused for long may be removed at any moment. */
export async function inFolder<T>(context: Context, folder: string, put: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ensureFolder(context, folder)
      return await put()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt === TRIES) throw error
      forgetFolder(context, folder)
    }
  }
}

function forgetFolder({ folders, root }: Context, folder: string): void {
  for (let path = folder; path.length > root.length; path = path.slice(0, path.lastIndexOf('/')))
    folders.delete(path)
}

export function tempPath(context: Context): string {
  return `${context.root}/${TEMP}/${context.nonce()}`
}

/**
 * A moment ago, at a random microsecond: the id of a generation. The real time does not work, because a file system's
 * clock ticks every few milliseconds, and two writers within one tick must be distinguishable (see latest.ts).
 */
export function madeUpTime(context: Context): number {
  const spread =
    Number.parseInt(
      context
        .nonce()
        .replaceAll(/[^0-9a-f]/g, '')
        .slice(-12) || '0',
      16,
    ) % 10_000_000
  return Math.floor(context.fs.now() * 1000) - 20_000 - spread
}
