/** Folders as paths below the scanned one, with forward slashes; `.` is that one itself. */

/** Undefined: it leads out, or it is absolute. */
export function joined(dir: string, path: string): string | undefined {
  if (path.startsWith('/')) return undefined
  const parts: string[] = []
  for (const part of `${dir}/${path}`.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/') || '.'
}

export function folderOf(path: string): string {
  const at = path.lastIndexOf('/')
  return at === -1 ? '.' : path.slice(0, at)
}

/** The way from one folder to another: `../b`. */
export function relativePath(from: string, to: string): string {
  const [start, end] = [from, to].map((dir) => dir.split('/').filter((part) => part !== '.' && part !== ''))
  let same = 0
  while (same < (start?.length ?? 0) && start?.[same] === end?.[same]) same++
  const ups = (start ?? []).slice(same).map(() => '..')
  return [...ups, ...(end ?? []).slice(same)].join('/') || '.'
}

/**
 * Terragrunt's functions return absolute paths. The location on this machine is irrelevant to code: the path begins
 * with the repository's root, followed by the position of the scanned folder in it.
 */
const ABSOLUTE = /^\/scanned:([^/]*)(?:\/(.*))?$/s

/** `within`: the position of the scanned folder in its repository. */
export function absolute(dir: string, within = '.'): string {
  const path = joined(within, dir) ?? '.'
  return path === '.' ? repositoryRoot(within) : `${repositoryRoot(within)}/${path}`
}

export function repositoryRoot(within: string): string {
  return `/scanned:${within === '.' ? '' : encodeURIComponent(within)}`
}

/** Whether a text has a part that differs from machine to machine, such as the name of the repository's folder. */
export function isOfMachine(text: string): boolean {
  return /(^|\/)scanned:/.test(text)
}

/** Undefined: not a path that `absolute` gave, or one that leads out. */
export function folderAt(path: string): string | undefined {
  const [, place, rest = ''] = ABSOLUTE.exec(path) ?? []
  const found = place === undefined ? undefined : joined('.', rest)
  if (place === undefined || found === undefined) return undefined
  const within = decodeURIComponent(place)
  if (within === '' || found === within) return within === '' ? found : '.'
  return found.startsWith(`${within}/`) ? found.slice(within.length + 1) : undefined
}
