import { OWN, hidden } from './names.ts'
import type { Context } from '../context.ts'

/** No file system with hard links tells times in longer ticks. */
const TICK_MS = 1_000

/**
 * Every change of a document of our own puts a name into its folder, and the folder's times tell. Within a tick two
 * changes look like one, so times have to be seen for longer than a tick before they are a mark. How old they are is not
 * asked: whoever keeps the files of a shared volume may have another clock than we. Users' objects are also changed in
 * place, which their folder does not show.
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
