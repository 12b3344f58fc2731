import { TacoError } from '../../../../base/errors.ts'
import { throwIfAborted } from '../../../../base/retry.ts'
import { generationOf, linkText, printOf, readGeneration, sameGeneration } from './generation.ts'
import { unknownOutcome } from '../faults.ts'
import { generationPath } from './names.ts'
import { ensureFolder, tempPath } from '../context.ts'
import type { Body } from '../../../bucket.ts'
import type { Context } from '../context.ts'
import type { FileStat, WritableFile } from '../fs/fs-ops.ts'
import type { Generation, NamedGeneration } from './generation.ts'
import type { Place } from './names.ts'

/**
 * Takes the number after `base` by creating a name that only one writer can create. False: another writer has it, or
 * `base` is no longer the latest.
 *
 * A writer may sleep before it takes the number. Others may then take it and the next one and remove both, so the name
 * is free again: taking it would be acknowledged and never seen. But they removed `base` first. So we look at `base`
 * once more *afterwards*: if it is still there, nothing after it had been removed. If it is not, the write either
 * landed and was replaced at once, or came too late. We cannot tell which, and we take nothing back, because another
 * writer may have built on it.
 */
export async function claim(
  context: Context,
  place: Place,
  base: Generation,
  make: (path: string) => boolean | Promise<boolean>,
): Promise<boolean> {
  const basePath = generationPath(place, base.n)
  // Not needed, but it makes the unknown outcome below rare: the way there was long, the way from here is short.
  if (base.n > 0 && !sameGeneration(await readGeneration(context.fs, basePath, base.n), base)) return false
  const made = make(generationPath(place, base.n + 1))
  if (!(made instanceof Promise ? await made : made)) return false
  if (base.n === 0 || !context.rules.checkBase) return true
  if (sameGeneration(await readGeneration(context.fs, basePath, base.n), base)) return true
  context.latest.forget(place)
  throw unknownOutcome(place.key)
}

/**
 * Removes what is older than the latest, oldest first: everything above rests on that order. Generation 1 is not removed
 * but emptied, and then names the latest. `made` is undefined where others may have made the same.
 */
export async function prune(
  context: Context,
  place: Place,
  base: Generation,
  made: Generation | undefined,
): Promise<void> {
  if (base.n === 0) return
  const { fs } = context
  let lowest = base.n
  // A writer that crashed has left more than one. Without gaps, so the first missing one ends the search.
  while (lowest > 1 && (await fs.lstat(generationPath(place, lowest - 1))) !== undefined) lowest--
  await emptyFirst(context, place, lowest === 1, made)
  for (let n = Math.max(lowest, 2); n <= base.n; n++) await fs.unlink(generationPath(place, n))
}

/**
 * Done before the others are removed, so that what generation 1 names still exists, unless a slower writer named its
 * own after a faster one. A generation 1 with data that is not directly below the others belongs to another object.
 */
async function emptyFirst(
  context: Context,
  place: Place,
  isOldest: boolean,
  made: Generation | undefined,
): Promise<void> {
  const { fs } = context
  const named = made === undefined ? undefined : await namedAs(context, place, made)
  const first = await readGeneration(fs, generationPath(place, 1), 1)
  const hasData = first !== undefined && first.kind !== 'pruned'
  if (hasData ? !isOldest : named === undefined) return
  if (first?.names !== undefined && named !== undefined && first.names.n >= named.n) return
  const temp = tempPath(context)
  await fs.symlink(linkText('pruned', context.nonce(), named), temp)
  await fs.rename(temp, generationPath(place, 1))
}

/** Undefined when it has been removed since, and what a slow writer put at its number is not it. */
async function namedAs(
  { fs }: Context,
  place: Place,
  made: Generation,
): Promise<NamedGeneration | undefined> {
  const path = generationPath(place, made.n)
  const stat = await fs.lstat(path)
  if (stat === undefined) return undefined
  const isIt = sameGeneration(await generationOf(fs, path, made.n, stat), made)
  return isIt ? { n: made.n, print: printOf(stat) } : undefined
}

/** After the claim every failure leaves the outcome open. */
export async function afterClaim<T>(context: Context, place: Place, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    context.latest.forget(place)
    if (error instanceof TacoError) throw error
    throw Object.assign(unknownOutcome(place.key), { cause: error })
  }
}

/** Writes the body into all files at once, durable when this answers; closes them in any case. */
export async function fill(
  files: readonly WritableFile[],
  body: Body,
  options: { readonly signal?: AbortSignal | undefined; readonly time?: number | undefined },
): Promise<FileStat> {
  try {
    let written = 0
    for await (const part of body.bytes === undefined ? body.stream() : [body.bytes]) {
      throwIfAborted(options.signal)
      await Promise.all(files.map((file) => file.write(part)))
      written += part.byteLength
    }
    if (written !== body.size) {
      throw new TacoError('BAD_REQUEST', `The body should have ${body.size} bytes but has ${written}.`, {
        hint: 'Send it again.',
        facts: { field: 'body' },
      })
    }
    const { time } = options
    for (const file of files) if (time !== undefined) await file.setTime(time)
    await Promise.all(files.map((file) => file.sync()))
    const [first] = files
    if (first === undefined) throw new TacoError('UNEXPECTED', 'The temporary file is missing.')
    return await first.stat()
  } finally {
    for (const file of files) await file.close()
  }
}

/** A new file that no other process knows yet. Its folder may have been swept away with everything else. */
export async function createTemp(context: Context): Promise<{ path: string; file: WritableFile }> {
  for (;;) {
    const path = tempPath(context)
    await ensureFolder(context, path.slice(0, path.lastIndexOf('/')))
    const file = await context.fs.create(path)
    if (file !== undefined) return { path, file }
  }
}
