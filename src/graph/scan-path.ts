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
