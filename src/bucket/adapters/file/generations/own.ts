import { conflict } from '../../../bucket.ts'
import { dataGeneration, isThere, linkText, none, parseTag, readGeneration, tagOf } from './generation.ts'
import { inFolder, madeUpTime } from '../context.ts'
import { generationPath } from './names.ts'
import { afterClaim, claim, createTemp, fill, prune } from './write.ts'
import type { Body, Conflict, Waiting, Written } from '../../../bucket.ts'
import type { Context } from '../context.ts'
import type { FileStat } from '../fs/fs-ops.ts'
import type { Generation } from './generation.ts'
import type { Place } from './names.ts'

/** Documents of our own: the highest generation is all there is to them. */
export async function putOwn(
  context: Context,
  place: Place,
  body: Body,
  options: Waiting & { readonly when: string },
): Promise<Written | Conflict> {
  const base =
    options.when === 'absent' ? await absent(context, place) : await tagged(context, place, options.when)
  if (base === undefined) return conflict
  const temp = await createTemp(context)
  let stat: FileStat
  try {
    stat = await fill([temp.file], body, { ...options, time: madeUpTime(context) })
    const taken = await inFolder(context, place.folder, () =>
      claim(context, place, base, (path) => context.fs.link(temp.path, path)),
    )
    if (!taken) return conflict
  } finally {
    await context.fs.unlink(temp.path)
  }
  return finish(context, place, base, dataGeneration(stat, base.n + 1))
}

export async function deleteOwn(
  context: Context,
  place: Place,
  when: string,
): Promise<'deleted' | 'absent' | Conflict> {
  const base = await tagged(context, place, when)
  if (base === undefined) return isThere(await context.latest.of(place)) ? conflict : 'absent'
  const made: Generation = { ...none, n: base.n + 1, kind: 'gone', id: context.nonce() }
  const text = linkText('gone', made.id)
  const taken = await claim(context, place, base, (path) => context.fs.symlink(text, path))
  if (!taken) return isThere(await context.latest.of(place)) ? conflict : 'absent'
  await afterClaim(context, place, () => context.fs.syncFolder(place.folder))
  context.latest.forget(place)
  await prune(context, place, base, made)
  return 'deleted'
}

async function finish(context: Context, place: Place, base: Generation, made: Generation): Promise<Written> {
  await afterClaim(context, place, () => context.fs.syncFolder(place.folder))
  context.latest.note(place, made)
  context.known.note(place.folder, place.name, made)
  await prune(context, place, base, made)
  return { kind: 'written', tag: tagOf(made) }
}

async function absent(context: Context, place: Place): Promise<Generation | undefined> {
  const latest = await context.latest.of(place)
  return isThere(latest) ? undefined : latest
}

/** A tag identifies its generation, so we look at that one only. */
async function tagged(context: Context, place: Place, tag: string): Promise<Generation | undefined> {
  const parsed = parseTag(tag)
  if (parsed === undefined) return undefined
  if ((await context.fs.lstat(generationPath(place, parsed.n + 1))) !== undefined) return undefined
  const base = await readGeneration(context.fs, generationPath(place, parsed.n), parsed.n)
  return base?.kind === 'data' && base.id === parsed.id ? base : undefined
}
