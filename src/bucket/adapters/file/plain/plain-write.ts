import { isTacoError } from '../../../../base/errors.ts'
import { conflict } from '../../../bucket.ts'
import { dataGeneration, isThere, linkText, tagOf } from '../generations/generation.ts'
import { ensureFolder, madeUpTime } from '../context.ts'
import { pendingPath } from '../generations/names.ts'
import { currentPlain, isPublished, show } from './plain.ts'
import { afterClaim, claim, createTemp, fill, prune } from '../generations/write.ts'
import type { Body, Conflict, Waiting, Written } from '../../../bucket.ts'
import type { Context } from '../context.ts'
import type { FileStat, WritableFile } from '../fs/fs-ops.ts'
import type { Generation } from '../generations/generation.ts'
import type { PlainPlace } from './plain.ts'

export async function putPlain(
  context: Context,
  place: PlainPlace,
  body: Body,
  options: Waiting & { readonly when: string },
): Promise<Written | Conflict> {
  const { fs } = context
  const base = await currentPlain(context, place, 'writing')
  if (isThere(base) ? options.when !== tagOf(base) : options.when !== 'absent') return conflict
  await ensureFolder(context, place.folder)
  await ensureFolder(context, place.plainFolder)
  const replaced = await replaceable(context, place)
  const temp = await createTemp(context)
  let pending: Pending | undefined
  let shown = false
  let isTempThere = true
  try {
    pending = await createPending(context, place, base.n + 1, { temp, mode: replaced?.mode })
    const files = pending.file === undefined ? [temp.file] : [temp.file, pending.file]
    const made = dataGeneration(await fill(files, body, { ...options, time: pending.time }), base.n + 1)
    if (!isPublished(base, await plainFile(context, place))) return conflict
    if (!(await claim(context, place, base, (path) => fs.link(temp.path, path)))) return conflict
    shown = true
    await afterClaim(context, place, async () => {
      // Now, because it changes the times by which the generation is named (write.ts).
      await fs.unlink(temp.path)
      isTempThere = false
      await finish(context, place, base, made)
    })
    return { kind: 'written', tag: tagOf(made) }
  } catch (error) {
    // Of unknown outcome: the copy may be needed.
    context.latest.forget(place)
    shown ||= isUnknown(error)
    throw error
  } finally {
    if (isTempThere) await fs.unlink(temp.path)
    if (!shown && pending !== undefined) await fs.unlink(pending.path)
  }
}

function isUnknown(error: unknown): boolean {
  return isTacoError(error) && error.facts['outcome'] === 'unknown'
}

async function finish(
  context: Context,
  place: PlainPlace,
  base: Generation,
  made: Generation,
): Promise<void> {
  await context.fs.syncFolder(place.folder)
  await dropPending(context, place, base)
  await show(context, place, made)
  context.latest.note(place, made)
  await prune(context, place, base, made)
}

/** A writer that sleeps before its rename must not wake up and overwrite newer bytes with old ones. */
async function dropPending(context: Context, place: PlainPlace, base: Generation): Promise<void> {
  if (base.n === 0 || !context.rules.dropOldPending) return
  if (base.kind === 'data' || base.kind === 'gone')
    await context.fs.unlink(pendingPath(place, base.n, base.id))
}

interface Temp {
  readonly path: string
  readonly file: WritableFile
}

interface Pending {
  readonly path: string
  readonly file: WritableFile | undefined
  readonly time: number
}

/**
 * The copy that becomes the plain file. Its time is made up, and the generation has the same time: a moment ago, at a
 * random microsecond. No later edit can have that time, not even one in the same tick of the clock, so comparing two
 * file times shows whether the plain file is still what was written. It is created exclusively, so no two writers have
 * the same.
 */
async function createPending(
  context: Context,
  place: PlainPlace,
  n: number,
  { temp, mode }: { readonly temp: Temp; readonly mode: number | undefined },
): Promise<Pending> {
  for (;;) {
    const time = madeUpTime(context)
    const path = pendingPath(place, n, time.toString(36))
    if (!context.rules.separateCopy) {
      await context.fs.link(temp.path, path)
      return { path, file: undefined, time }
    }
    const file = await context.fs.create(path, mode)
    if (file !== undefined) return { path, file, time }
  }
}

export async function deletePlain(
  context: Context,
  place: PlainPlace,
  when: string,
): Promise<'deleted' | 'absent' | Conflict> {
  const { fs } = context
  const base = await currentPlain(context, place, 'writing')
  if (!isThere(base)) return 'absent'
  if (tagOf(base) !== when) return conflict
  const id = context.nonce()
  const pending = pendingPath(place, base.n + 1, id)
  await (await fs.create(pending))?.close()
  const unchanged = isPublished(base, await plainFile(context, place))
  if (!unchanged || !(await claim(context, place, base, (path) => fs.symlink(linkText('gone', id), path)))) {
    await fs.unlink(pending)
    return isThere(await currentPlain(context, place, 'writing')) ? conflict : 'absent'
  }
  await afterClaim(context, place, () =>
    finish(context, place, base, { n: base.n + 1, kind: 'gone', id, size: 0, modifiedAt: 0 }),
  )
  context.latest.forget(place)
  return 'deleted'
}

async function plainFile(context: Context, place: PlainPlace): Promise<FileStat | undefined> {
  const stat = await context.fs.lstat(place.plain)
  return stat?.kind === 'file' ? stat : undefined
}

/** The file in the way, if there is one; what is no file cannot be replaced. */
async function replaceable(context: Context, place: PlainPlace): Promise<FileStat | undefined> {
  const stat = await context.fs.lstat(place.plain)
  if (stat === undefined || stat.kind === 'file') return stat
  const isFolder = stat.kind === 'folder'
  throw Object.assign(new Error(`${place.plain} is ${isFolder ? 'a folder' : 'not a regular file'}`), {
    code: isFolder ? 'EISDIR' : 'EACCES',
  })
}
