import { isReadOnly } from '../faults.ts'
import { linkText, readGeneration } from './generation.ts'
import { OBJECTS, OWN, TEMP } from './names.ts'
import type { Context } from '../context.ts'
import type { FolderNames } from './folder.ts'

/** No process sleeps this long between two steps of one write. */
const OLD_MS = 24 * 3600_000

/** Files of writers that died. */
export async function sweepTemp(context: Context): Promise<void> {
  const folder = `${context.root}/${TEMP}`
  for (const { name } of (await context.fs.readdir(folder)) ?? []) {
    await unlinkOld(context, `${folder}/${name}`)
  }
}

/**
 * Forgets deleted documents after a day, and cleans up after crashed writers, whenever a listing passes. Only for our
 * own documents, which come and go by the thousand. Generations of users' objects are kept forever, so creating one of
 * those twice is impossible, not merely a day's sleep away.
 */
export async function sweepNames(context: Context, names: FolderNames, folder: string): Promise<void> {
  if (folder.startsWith(`${context.root}/${OBJECTS}`)) return
  try {
    await sweepFolder(context, names, folder)
    if (names.objects.size === 0 && names.folders.length === 0) await removeEmpty(context, folder)
  } catch (error) {
    // A list must not fail because its reader may not tidy up.
    if (!isReadOnly(error)) throw error
  }
}

/** A folder in which something was put or removed lately is left alone, so that few writers have to make it again. */
const EMPTY_MS = 3600_000

/**
 * What retention leaves of deleted units and of the journal. Removing fails if something is in the folder, so a writer
 * that was faster loses nothing, and one that was slower finds the folder missing and makes it again (`inFolder`).
 */
async function removeEmpty(context: Context, folder: string): Promise<void> {
  const isDeep = folder.startsWith(`${context.root}/${OWN}/`)
  const stat = isDeep ? await context.fs.lstat(folder) : undefined
  if (stat?.kind !== 'folder' || context.fs.now() - stat.mtimeMs < EMPTY_MS) return
  await context.fs.rmdir(folder)
  context.folders.delete(folder)
}

async function sweepFolder(context: Context, names: FolderNames, folder: string): Promise<void> {
  for (const [name, { highest, isFile, numbers, pending }] of names.objects) {
    // The usual: the latest, and generation 1 emptied or the latest itself.
    if (isFile && pending.length === 0 && numbers.includes(1) && numbers.length <= 2) continue
    const path = `${folder}/${name}`
    for (const { n, id } of pending) await unlinkOld(context, `${path}@${n}^${id}`)
    if (highest > 1 && !numbers.includes(1))
      await context.fs.symlink(linkText('pruned', context.nonce()), `${path}@1`)
    if (numbers.length > 2 || (numbers.length === 2 && !numbers.includes(1))) {
      for (const n of numbers.toSorted((a, b) => a - b)) {
        if (n > 1 && n < highest) await unlinkOld(context, `${path}@${n}`)
      }
    }
    if (!isFile && highest > 0) await forgetDead(context, path, highest)
  }
}

async function forgetDead(context: Context, path: string, highest: number): Promise<void> {
  const known = await readGeneration(context.fs, `${path}@${highest}`, highest)
  if (known === undefined || (known.kind !== 'gone' && known.kind !== 'pruned')) return
  if (context.fs.now() - known.modifiedAt < OLD_MS) return
  await context.fs.unlink(`${path}@${highest}`)
  if (highest > 1) await context.fs.unlink(`${path}@1`)
}

async function unlinkOld(context: Context, path: string): Promise<void> {
  const stat = await context.fs.lstat(path)
  if (stat !== undefined && context.fs.now() - stat.ctimeMs > OLD_MS) await context.fs.unlink(path)
}
