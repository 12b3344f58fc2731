import { busy, isReadOnly } from '../faults.ts'
import { changedAt } from '../fs/fs-ops.ts'
import {
  isThere,
  linkText,
  none,
  printOf,
  readGeneration,
  sameGeneration,
} from '../generations/generation.ts'
import { readNames } from '../generations/folder.ts'
import { ensureFolder } from '../context.ts'
import { generationPath, pendingPath } from '../generations/names.ts'
import { claim, createTemp, prune } from '../generations/write.ts'
import { copyInto } from './copy.ts'
import { isTacoError } from '../../../../base/errors.ts'
import type { Context } from '../context.ts'
import type { FileStat } from '../fs/fs-ops.ts'
import type { Generation } from '../generations/generation.ts'
import type { Place } from '../generations/names.ts'

export interface PlainPlace extends Place {
  readonly plain: string
  readonly plainFolder: string
}

export function hasPlain(place: Place): place is PlainPlace {
  return place.plain !== undefined
}

/** A file that changed less than this ago may change again without its times showing it. */
export const SETTLED_MS = 50
const MAX_ROUNDS = 200

/**
 * The latest generation of an object that people also see as a plain file, after reconciling the two. First we publish
 * an unpublished generation. Only then do we look at the plain file. Either it matches the generation (same size, same
 * made-up time), or it is missing and we restore it, or another program wrote it and it becomes the next generation. We
 * never compare it with an older generation: an old file that was put back by hand is an edit like any other.
 */
export async function currentPlain(
  context: Context,
  place: PlainPlace,
  purpose: 'reading' | 'writing',
): Promise<Generation> {
  const { fs, latest } = context
  const write = purpose === 'writing' ? always : unlessReadOnly
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const generation = await latest.of(place)
    if (await isPending(context, place, generation)) {
      if (!(await write(() => publish(context, place, generation))))
        return publishedBefore(context, place, generation)
      continue
    }
    const asked = fs.lstat(place.plain)
    const stat = asked instanceof Promise ? await asked : asked
    const file = stat?.kind === 'file' ? stat : undefined
    if (isPublished(generation, file)) return isThere(generation) ? generation : { ...generation, size: 0 }
    if (file !== undefined) {
      if (await settles(context, file)) continue
      if (!(await write(() => takeIn(context, place, generation, file)))) return outside(generation, file)
    } else if (generation.kind === 'data') {
      if (!(await write(() => bringBack(context, place, generation)))) return generation
    } else if (!(await write(() => takeInDelete(context, place, generation)))) {
      return { ...none, n: generation.n, kind: 'gone' }
    }
  }
  throw busy(place.key)
}

export function isPublished(generation: Generation, file: FileStat | undefined): boolean {
  if (file === undefined) return !isThere(generation)
  if (generation.kind === 'data')
    return file.size === generation.size && changedAt(file).toString(36) === generation.id
  return generation.kind === 'outside' && printOf(file) === generation.id
}

async function isPending(context: Context, place: PlainPlace, generation: Generation): Promise<boolean> {
  if (generation.kind !== 'data' && generation.kind !== 'gone') return false
  const asked = context.fs.lstat(pendingPath(place, generation.n, generation.id))
  return (asked instanceof Promise ? await asked : asked) !== undefined
}

/**
 * What a reader sees that cannot publish: the previous generation, while the plain file shows it. Its writer has not
 * been told of success, and others go by the plain file alone (confirm.ts), so a reader that saw the next generation
 * now would see them go back. If there is no plain file, nothing goes by it, and the waiting generation may be an
 * acknowledged state that is being restored.
 */
async function publishedBefore({ fs }: Context, place: PlainPlace, pending: Generation): Promise<Generation> {
  const n = pending.n - 1
  const before = await readGeneration(fs, generationPath(place, n), n)
  const stat = await fs.lstat(place.plain)
  if (before === undefined || stat?.kind !== 'file') return pending
  return isPublished(before, stat) ? before : pending
}

/**
 * Finishes for a writer that did not get this far. What we publish must be durable first, or a power cut leaves an
 * orphan.
 */
async function publish(context: Context, place: PlainPlace, generation: Generation): Promise<void> {
  await context.fs.syncFolder(place.folder)
  const names = (await readNames(context.fs, place.folder)).objects.get(place.name)
  for (const { n, id } of names?.pending ?? []) {
    if (n < generation.n && context.rules.dropOldPending) await context.fs.unlink(pendingPath(place, n, id))
  }
  await show(context, place, generation)
}

/**
 * Renames the waiting copy to the plain file, or removes the plain file for a delete. If there is no copy to rename,
 * another process has done it, or a newer generation has taken it away.
 */
export async function show(context: Context, place: PlainPlace, generation: Generation): Promise<void> {
  const { fs } = context
  const pending = pendingPath(place, generation.n, generation.id)
  if (generation.kind === 'data') {
    await ensureFolder(context, place.plainFolder)
    await fs.rename(pending, place.plain)
    await fs.syncFolder(place.plainFolder)
    return
  }
  // One that is late here may remove the next generation's file: it is then found missing, and brought back.
  const removed = (await fs.lstat(place.plain))?.kind === 'file' && (await fs.unlink(place.plain))
  if (removed) await fs.syncFolder(place.plainFolder)
  await fs.unlink(pending)
}

/** True when it was too young and has been waited for. */
async function settles(context: Context, file: FileStat): Promise<boolean> {
  const age = context.fs.now() - Math.max(file.mtimeMs, file.ctimeMs)
  if (age >= SETTLED_MS || age < -SETTLED_MS) return false
  await context.fs.sleep(SETTLED_MS - age)
  return true
}

/** Another program wrote the plain file: its content becomes the next generation. */
async function takeIn(context: Context, place: PlainPlace, base: Generation, file: FileStat): Promise<void> {
  await ensureFolder(context, place.folder)
  await claimQuietly(context, place, base, linkText('outside', printOf(file)))
}

async function always(write: () => Promise<void>): Promise<boolean> {
  await write()
  return true
}

/** False where nothing may be written: then what is there is shown as it would become. */
async function unlessReadOnly(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (!isReadOnly(error)) throw error
    return false
  }
}

function outside({ n }: Generation, file: FileStat): Generation {
  const modifiedAt = Math.floor(file.mtimeMs)
  return { ...none, n, kind: 'outside', id: printOf(file), size: file.size, modifiedAt }
}

/** An outside file that was removed: there is no copy to restore it from. */
function takeInDelete(context: Context, place: PlainPlace, base: Generation): Promise<void> {
  return claimQuietly(context, place, base, linkText('gone', context.nonce()))
}

/** Losing is as good as winning: the caller looks again. */
async function claimQuietly(
  context: Context,
  place: PlainPlace,
  base: Generation,
  text: string,
): Promise<void> {
  try {
    if (await claim(context, place, base, (path) => context.fs.symlink(text, path)))
      await prune(context, place, base, undefined)
  } catch (error) {
    if (!isTacoError(error, 'BUCKET_UNAVAILABLE')) throw error
  }
}

/** The plain file was removed by hand, or by a late delete. */
async function bringBack(context: Context, place: PlainPlace, generation: Generation): Promise<void> {
  const { fs } = context
  const source = await fs.open(generationPath(place, generation.n))
  if (source === undefined) return
  const temp = await createTemp(context).catch(async (error: unknown) => {
    await source.close()
    throw error
  })
  const pending = pendingPath(place, generation.n, generation.id)
  try {
    await copyInto(temp.file, source, generation)
    await fs.link(temp.path, pending)
  } finally {
    await fs.unlink(temp.path)
  }
  const newer = await fs.lstat(generationPath(place, generation.n + 1))
  const same = await readGeneration(fs, generationPath(place, generation.n), generation.n)
  if (newer !== undefined || !sameGeneration(same, generation)) await fs.unlink(pending)
  else await show(context, place, generation)
}
