import { changedAt } from './fs-ops.ts'
import { parseTag } from './generation.ts'
import { generationPath } from './names.ts'
import type { Tag } from '../../bucket.ts'
import type { FileStat, FsOps } from './fs-ops.ts'
import type { Place } from './names.ts'

interface Look {
  readonly path: string
  holds(stat: FileStat | undefined): boolean
}

/**
 * What must hold, in this order, for a tag that this folder gave out once to be current still; cheaper than finding out
 * what is current. Why the next number is looked for before the generation itself: latest.ts. A plain file that shows
 * this very generation is published, so nothing can be pending that matters to a reader.
 */
function looksAt(place: Place, tag: Tag): readonly Look[] | undefined {
  const named = parseTag(tag)
  if (named === undefined) return undefined
  const time = Number.parseInt(named.id, 36)
  let size = 0
  const looks: Look[] = [
    { path: generationPath(place, named.n + 1), holds: (next) => next === undefined },
    {
      path: generationPath(place, named.n),
      holds(own) {
        size = own?.size ?? 0
        return own?.kind === 'file' && changedAt(own) === time
      },
    },
  ]
  if (place.plain !== undefined) {
    const { plain: path } = place
    looks.push({
      path,
      holds: (plain) => plain?.kind === 'file' && plain.size === size && changedAt(plain) === time,
    })
  }
  return looks
}

/** False: no longer, or not to be found out this way. */
export async function confirm(fs: FsOps, place: Place, tag: Tag): Promise<boolean> {
  const looks = looksAt(place, tag)
  for (const { path, holds } of looks ?? []) {
    const asked = fs.lstat(path)
    if (!holds(asked instanceof Promise ? await asked : asked)) return false
  }
  return looks !== undefined
}

/** The same, to be asked any number of times, without waiting; false also for a folder that cannot be read. */
export function confirmer(fs: FsOps, place: Place, tag: Tag): () => boolean {
  const looks = looksAt(place, tag)
  if (looks === undefined) return () => false
  return () => {
    try {
      for (const { path, holds } of looks) {
        const stat = fs.lstat(path)
        if (stat instanceof Promise || !holds(stat)) return false
      }
      return true
    } catch {
      // Whoever reads it next is told what is wrong.
      return false
    }
  }
}
