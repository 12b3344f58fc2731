import { OWN, hidden } from './names.ts'
import type { Context } from './context.ts'

/** No file system with hard links tells times in longer ticks. */
const TICK_MS = 1_000

/**
 * Every change of a document of our own puts a name into its folder, and the folder's times tell. Within a tick two
 * changes look like one, so a folder that changed just now has no mark yet. Users' objects are also changed in place,
 * which their folder does not show.
 */
export async function markOf({ fs, root }: Context, prefix: string): Promise<string | undefined> {
  if (!prefix.startsWith(`${OWN}/`) || !prefix.endsWith('/')) return undefined
  const stat = await fs.lstat(`${root}/${hidden(prefix.slice(0, -1))}`)
  if (stat?.kind !== 'folder') return undefined
  const { ino, mtimeMs, ctimeMs } = stat
  return fs.now() - Math.max(mtimeMs, ctimeMs) > TICK_MS ? `${ino}.${mtimeMs}.${ctimeMs}` : undefined
}
