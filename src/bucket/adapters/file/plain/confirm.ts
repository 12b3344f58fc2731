import { changedAt } from '../fs/fs-ops.ts'
import { parseTag } from '../generations/generation.ts'
import { generationPath } from '../generations/names.ts'
import { SETTLED_MS } from './plain.ts'
import type { Tag } from '../../../bucket.ts'
import type { FileStat, FsOps, Maybe } from '../fs/fs-ops.ts'
import type { Place } from '../generations/names.ts'

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

/**
 * Returns a repeatable check of whether a tag is still current: yes, or no answer. Once a state was found current, a
 * look at its plain file replaces all three looks. No reader is shown a next generation while this file exists
 * (plain.ts). Publishing the next generation gives the file another inode, and so does restoring it; every edit touches
 * it, and a settled file shows that.
 */
export function confirmer(fs: FsOps, place: Place, tag: Tag): () => Maybe<boolean> {
  const looks = looksAt(place, tag)
  let untouched: FileStat | undefined

  function lookFrom(at: number): Maybe<boolean> {
    const look = looks?.[at]
    if (look === undefined) return looks !== undefined
    return then(fs.lstat(look.path), (stat) => {
      if (!look.holds(stat)) return false
      if (look.path === place.plain && stat !== undefined && fs.now() - stat.ctimeMs >= SETTLED_MS) {
        untouched = stat
      }
      return lookFrom(at + 1)
    })
  }

  return () => {
    if (untouched === undefined || place.plain === undefined) return lookFrom(0)
    return then(fs.lstat(place.plain), (file) => {
      if (isSameFile(file, untouched)) return true
      untouched = undefined
      return lookFrom(0)
    })
  }
}

function isSameFile(a: FileStat | undefined, b: FileStat | undefined): boolean {
  return a?.ino === b?.ino && a?.ctimeMs === b?.ctimeMs && a?.mtimeMs === b?.mtimeMs && a?.size === b?.size
}

function then<T, R>(asked: Maybe<T>, go: (answer: T) => Maybe<R>): Maybe<R> {
  return asked instanceof Promise ? asked.then(go) : go(asked)
}
