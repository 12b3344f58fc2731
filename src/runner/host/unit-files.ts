import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { sha256Hex } from '../../base/sha256-hex.ts'
import { TacoError } from '../../base/errors.ts'
import type { ProjectUnit } from '../../project/index.ts'
import { isCode, isConfiguration, referencedPaths } from '../fingerprint.ts'
import type { Repository } from '../repository.ts'

/** The files that an apply of a unit is made from, with their hashes, and its own code. */
export interface UnitFiles {
  readonly hashes: Readonly<Record<string, string>>
  /** What its code names outside the repository and we cannot read: without it nothing can be proven. */
  readonly hidden: readonly string[]
  /** Text of the code in the unit's folder itself. */
  readonly code: readonly string[]
}

/**
 * The unit's folder, and whatever its code names beyond it: modules of the repository, files, templates. Folders of
 * other units that lie inside are theirs.
 */
export function readUnitFiles({ root, folders }: Repository, unit: ProjectUnit): UnitFiles {
  const hashes: Record<string, string> = {}
  const code: string[] = []
  const seen = new Set<string>()
  const own = resolve(root, unit.dir)
  const hidden: string[] = []

  /** A worker that cannot read files elsewhere can still apply: perhaps the engine does not need them. */
  function unlessElsewhere<T>(path: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!isElsewhere(root, path)) throw error
      hidden.push(path)
      return undefined
    }
  }

  function file(path: string, folder: string): void {
    if (seen.has(path)) return
    seen.add(path)
    const bytes = unlessElsewhere(path, () => readFileSync(path))
    if (bytes === undefined) return
    hashes[relative(root, path)] = sha256Hex(bytes)
    if (!isCode(path)) return
    const text = bytes.toString('utf8')
    if (folder === own) code.push(text)
    for (const { path: named, from } of referencedPaths(text)) {
      if (from !== 'root') follow(placeOf(folder, named))
      if (from !== 'module') follow(placeOf(own, named))
    }
  }

  function tree(folder: string): void {
    if (seen.has(folder)) return
    seen.add(folder)
    for (const entry of unlessElsewhere(folder, () => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const path = join(folder, entry.name)
      if (!isConfiguration(entry.name) || folders.has(path)) continue
      if (entry.isDirectory()) tree(path)
      else if (entry.isFile()) file(path, folder)
      else if (entry.isSymbolicLink()) link(path)
    }
  }

  /** A folder counts at its real path, and once: links may form cycles. */
  function link(path: string): void {
    if (kindOf(path) !== 'folder') return follow(path)
    const real = resolve(root, relative(realpathSync(root), realpathSync(path)))
    hashes[relative(root, path)] = `-> ${relative(root, real)}`
    if (!folders.has(real)) tree(real)
  }

  /** What is named but is not there is not our concern: the engine will say so. */
  function follow(path: string): void {
    const kind = kindOf(path)
    if (kind === 'folder') tree(path)
    else if (kind === 'file') file(path, resolve(path, '..'))
    else if (kind === 'hidden') hidden.push(path)
  }

  follow(own)
  for (const name of unit.varFiles) follow(resolve(own, name))
  return { hashes, hidden, code }
}

function isElsewhere(root: string, path: string): boolean {
  const way = relative(realOf(root), realOf(path))
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The unit's folder, absolute. */
export function folderOf({ root }: Pick<Repository, 'root'>, { name, dir }: ProjectUnit): string {
  const folder = resolve(root, dir)
  if (isFolder(folder)) return folder
  throw new TacoError('NOT_FOUND', `The folder ${dir}, which taco.yaml names for ${name}, does not exist.`, {
    facts: { unit: name, dir },
    hint: 'Correct `dir` in taco.yaml, or create the folder.',
  })
}

/** Undefined: it does not exist. That includes a text that cannot be a path at all. Hidden: not readable. */
function kindOf(path: string): 'folder' | 'file' | 'hidden' | undefined {
  try {
    const found = statSync(path)
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'EACCES' || code === 'EPERM' ? 'hidden' : undefined
  }
}

function placeOf(folder: string, path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(folder, path)
}
