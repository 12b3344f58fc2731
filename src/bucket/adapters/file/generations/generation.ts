import { changedAt } from '../fs/fs-ops.ts'
import type { FileStat, FsOps } from '../fs/fs-ops.ts'
import type { Tag } from '../../../bucket.ts'

/**
 * One generation of an object. Data is a regular file. Everything else is a dangling symbolic link whose text says what
 * it is, so that the names in a folder are enough to distinguish live objects from dead ones.
 * - `gone`: deleted.
 * - `outside`: another program wrote the plain file; the text records what the file looked like.
 * - `pruned`: only ever generation 1, which is emptied but never removed. Its absence proves that there is no object,
 * so creating one does not read the whole folder. Its text names the latest generation, so finding that one does
 * not read the whole folder either. `id` distinguishes two files that had the same number, one of which came too late
 *   (see write.ts).
 */
export interface Generation {
  readonly n: number
  readonly kind: 'none' | 'data' | 'gone' | 'outside' | 'pruned'
  readonly id: string
  readonly size: number
  readonly modifiedAt: number
  /** Of `pruned` only: the latest generation when it was last written (see latest.ts). */
  readonly names?: NamedGeneration | undefined
}

/** A generation that was the latest once, and the very file that it was. */
export interface NamedGeneration {
  readonly n: number
  readonly print: string
}

export const none: Generation = { n: 0, kind: 'none', id: '', size: 0, modifiedAt: 0 }

export function sameGeneration(a: Generation | undefined, b: Generation): boolean {
  return a !== undefined && a.n === b.n && a.id === b.id && a.kind === b.kind
}

export async function readGeneration(fs: FsOps, path: string, n: number): Promise<Generation | undefined> {
  const asked = fs.lstat(path)
  const stat = asked instanceof Promise ? await asked : asked
  return stat === undefined ? undefined : generationOf(fs, path, n, stat)
}

/** Of a file that we already looked at. The text of a link is read now. */
export async function generationOf(
  fs: FsOps,
  path: string,
  n: number,
  stat: FileStat,
): Promise<Generation | undefined> {
  if (stat.kind === 'file') return dataGeneration(stat, n)
  const text = await fs.readlink(path)
  return text === undefined ? undefined : linkGeneration(text, n, stat)
}

export function dataGeneration(stat: FileStat, n: number): Generation {
  return {
    n,
    kind: 'data',
    id: changedAt(stat).toString(36),
    size: stat.size,
    modifiedAt: Math.floor(stat.mtimeMs),
  }
}

function linkGeneration(text: string, n: number, stat: FileStat): Generation {
  const [kind, id = '', named = ''] = text.split(' ')
  const size = kind === 'outside' ? Number.parseInt(id.split('.')[1] ?? '0', 36) : 0
  const modifiedAt =
    kind === 'outside' ? Math.floor(Number.parseInt(id.split('.')[2] ?? '0', 36) / 1000) : stat.mtimeMs
  return {
    n,
    kind: kind === 'outside' || kind === 'pruned' ? kind : 'gone',
    id,
    size,
    modifiedAt: Math.floor(modifiedAt),
    ...(kind === 'pruned' ? { names: parseNamed(named) } : {}),
  }
}

export function linkText(kind: 'gone' | 'outside' | 'pruned', id: string, named?: NamedGeneration): string {
  return named === undefined ? `${kind} ${id}` : `${kind} ${id} ${named.n}@${named.print}`
}

function parseNamed(text: string): NamedGeneration | undefined {
  const match = /^([1-9]\d*)@([0-9a-z.]+)$/.exec(text)
  return match?.[2] === undefined ? undefined : { n: Number(match[1]), print: match[2] }
}

/** Inode, size, and both times: no outside edit leaves all four as they were, once the file has settled. */
export function printOf(stat: FileStat): string {
  const numbers = [stat.ino, stat.size, changedAt(stat), Math.floor(stat.ctimeMs * 1000)]
  return numbers.map((number) => number.toString(36)).join('.')
}

/** An outside file has one tag, whether or not it has become a generation yet, so that lists need not make one. */
export function tagOf(generation: Generation): Tag {
  return (generation.kind === 'outside' ? `o.${generation.id}` : `${generation.n}.${generation.id}`) as Tag
}

export function isThere(generation: Generation): boolean {
  return generation.kind === 'data' || generation.kind === 'outside'
}

/** The generation that a tag of ours names; undefined for every other tag. */
export function parseTag(tag: string): { readonly n: number; readonly id: string } | undefined {
  const match = /^([1-9]\d*)\.([0-9a-z]+)$/.exec(tag)
  return match?.[2] === undefined ? undefined : { n: Number(match[1]), id: match[2] }
}
