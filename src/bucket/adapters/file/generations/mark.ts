import { OWN, hidden } from './names.ts'
import type { Context } from '../context.ts'

/** No file system with hard links has a coarser clock. */
const TICK_MS = 1_000

/**
 * Every change of one of our own documents adds a name to its folder, which changes the folder's times. Two changes
 * within one tick look like one, so the times must stay unchanged for longer than a tick before they count as a mark.
 * We do not compare them with our own clock: a shared volume's server may have a different one. Users' objects are also
 * changed in place, which their folder does not show.
 */
export function folderMarks({ fs, root }: Context): (prefix: string) => Promise<string | undefined> {
  const seen = new Map<string, { readonly times: string; readonly since: number }>()

  return async (prefix) => {
    if (!prefix.startsWith(`${OWN}/`) || !prefix.endsWith('/')) return undefined
    const askedAt = fs.now()
    const stat = await fs.lstat(`${root}/${hidden(prefix.slice(0, -1))}`)
    if (stat?.kind !== 'folder') return undefined
    const times = `${stat.ino}.${stat.mtimeMs}.${stat.ctimeMs}`
    const known = seen.get(prefix)
    if (known?.times === times) return askedAt - known.since > TICK_MS ? times : undefined
    seen.set(prefix, { times, since: fs.now() })
    return undefined
  }
}
