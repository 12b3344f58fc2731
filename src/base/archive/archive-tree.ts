/** What an archive says about one of its entries. */
export interface ArchiveEntry {
  readonly type: string
  readonly path: string
  readonly linkpath?: string | undefined
}

const FILES: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile'])

/**
 * The tree that an archive describes, entry by entry. Nothing in it may be outside of the folder into which the archive
 * is unpacked, whichever program unpacks it, on whichever file system.
 *
 * A link may not have `..` behind a name, and no entry may be below a link. So a link is in a real folder, climbs at
 * most to the top, and goes down from there: it ends inside, through however many other links it leads.
 */
export class ArchiveTree {
  /** Links and folders, by the form that file systems without regard to case have in common. */
  readonly #links = new Set<string>()
  readonly #folders = new Set<string>()

  /** What is wrong with the next entry. Undefined: nothing. */
  add({ type, path, linkpath }: ArchiveEntry): string | undefined {
    const parts = partsOf(path)
    if (parts === undefined) return `${shown(path)} is outside of the archive's folder`
    const folders = parts.slice(0, -1).map((_, at) => folded(parts.slice(0, at + 1)))
    if (folders.some((folder) => this.#links.has(folder))) return `${shown(path)} is below a link`
    for (const folder of folders) this.#folders.add(folder)
    if (FILES.has(type)) return undefined
    if (type === 'Directory') {
      if (this.#links.has(folded(parts))) return `${shown(path)} is a link and a folder`
      this.#folders.add(folded(parts))
      return undefined
    }
    if (type === 'Link') {
      // The target counts from the top of the archive.
      return linkpath !== undefined && partsOf(linkpath) !== undefined ? undefined : leadsOut(path, linkpath)
    }
    if (type !== 'SymbolicLink') return `${shown(path)} is neither a file, a folder nor a link`
    if (!staysInside(linkpath ?? '', parts.length - 1)) return leadsOut(path, linkpath)
    if (parts.length === 0 || this.#folders.has(folded(parts))) return `${shown(path)} is a folder and a link`
    this.#links.add(folded(parts))
    return undefined
  }
}

/** Undefined: it leads out. Names for other systems than ours count too: `C:\x`, `..\x`. */
function partsOf(path: string): readonly string[] | undefined {
  if (path.includes('\0') || /^([/\\]|[A-Za-z]:)/.test(path)) return undefined
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.')
  return parts.includes('..') ? undefined : parts
}

function staysInside(target: string, depth: number): boolean {
  if (target === '' || target.includes('\0') || /^([/\\]|[A-Za-z]:)/.test(target)) return false
  const parts = target.split(/[/\\]/).filter((part) => part !== '' && part !== '.')
  const up = parts.findIndex((part) => part !== '..')
  const climbs = up === -1 ? parts.length : up
  return climbs <= depth && !parts.slice(climbs).includes('..')
}

function folded(parts: readonly string[]): string {
  return parts.join('/').normalize('NFKC').toLowerCase()
}

function leadsOut(path: string, target: string | undefined): string {
  return `the link ${shown(path)} leads to ${shown(target ?? '')}, outside of the archive's folder`
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
}
