import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { ProjectUnit } from '../../graph/index.ts'
import type { Repository } from './worker-project.ts'

/** The files that an apply of a unit is made from, with their hashes, and its own code. */
export interface UnitFiles {
  readonly hashes: Readonly<Record<string, string>>
  /** Text of the code in the unit's folder itself. */
  readonly code: readonly string[]
}

/**
 * The unit's folder, and whatever its code names beyond it: modules of the repository, files, templates. Folders of
 * other units that lie inside are theirs.
 */
export function readUnitFiles({ project, root, tools }: Repository, unit: ProjectUnit): UnitFiles {
  const hashes: Record<string, string> = {}
  const code: string[] = []
  const seen = new Set<string>()
  const own = resolve(root, unit.dir)
  const others = new Set(project.units.map(({ dir }) => resolve(root, dir)))
  others.delete(own)

  function file(path: string, folder: string): void {
    if (seen.has(path)) return
    seen.add(path)
    const bytes = readFileSync(path)
    hashes[relative(root, path)] = createHash('sha256').update(bytes).digest('hex')
    if (!tools.isCode(path)) return
    const text = bytes.toString('utf8')
    if (folder === own) code.push(text)
    for (const found of tools.referencedPaths(text)) follow(resolve(folder, found))
  }

  function tree(folder: string): void {
    if (seen.has(folder)) return
    seen.add(folder)
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (!tools.isConfiguration(entry.name) || others.has(path)) continue
      if (entry.isDirectory()) tree(path)
      else if (entry.isFile() || entry.isSymbolicLink()) follow(path)
    }
  }

  /** What is named but is not there is not our concern: the engine will say so. */
  function follow(path: string): void {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory() === true) tree(path)
    else if (found?.isFile() === true) file(path, resolve(path, '..'))
  }

  follow(own)
  for (const name of unit.varFiles) follow(resolve(own, name))
  return { hashes, code }
}
