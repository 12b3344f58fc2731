import { confirmer } from './plain/confirm.ts'
import { busy } from './faults.ts'
import { foundOf } from './fs/found.ts'
import { dataGeneration, isThere, printOf, tagOf } from './generations/generation.ts'
import { generationPath } from './generations/names.ts'
import { currentPlain, hasPlain } from './plain/plain.ts'
import type { Found, GetOptions } from '../../bucket.ts'
import type { Context } from './context.ts'
import type { Generation } from './generations/generation.ts'
import type { Place } from './generations/names.ts'

const MAX_ROUNDS = 200

/** The latest generation, brought together with the plain file where there is one. */
export function current(context: Context, place: Place): Promise<Generation> {
  return hasPlain(place) ? currentPlain(context, place, 'reading') : context.latest.of(place)
}

/** The bytes come from the generation's own file, which is never edited: a reader sees it whole, whatever happens. */
export async function read(
  context: Context,
  place: Place,
  options: GetOptions,
): Promise<Found | 'unchanged' | undefined> {
  const { ifNoneMatch } = options
  if (ifNoneMatch !== undefined && (await confirmer(context.fs, place, ifNoneMatch)())) return 'unchanged'
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const generation = await current(context, place)
    if (!isThere(generation)) return undefined
    if (ifNoneMatch !== undefined && ifNoneMatch === tagOf(generation)) return 'unchanged'
    const isOutside = generation.kind === 'outside'
    const path = isOutside && hasPlain(place) ? place.plain : generationPath(place, generation.n)
    const opening = context.fs.open(path)
    const file = opening instanceof Promise ? await opening : opening
    if (file === undefined) continue
    const asked = file.stat()
    const stat = asked instanceof Promise ? await asked : asked
    const id = isOutside ? printOf(stat) : dataGeneration(stat, generation.n).id
    if (id !== generation.id) {
      await file.close()
      continue
    }
    const found = await foundOf(place, generation, file, options.range)
    if (found !== undefined) return found
  }
  throw busy(place.key)
}
