import { promises } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { ScanFile, ScanReport } from '../../../scan/index.ts'
import type { RepositoryTools } from '../world.ts'

/** Copies that engines make, and what never holds code of one's own. */
const SKIPPED = new Set(['.terraform', '.terragrunt-cache', '.git', 'node_modules', '.terragrunt-stack'])

export async function scanFolder(tools: RepositoryTools, root: string): Promise<ScanReport> {
  return await tools.scan(filesToScan(root, tools.isScanned), {
    hcl: tools.openHclReader(),
    rootName: basename(root) || 'root',
    within: await placeInRepository(root),
  })
}

/** The files below a folder that may hold code, in order. Links to folders are not followed: they may go in circles. */
export async function* filesToScan(
  root: string,
  isScanned: (path: string) => boolean,
  under = '',
): AsyncGenerator<ScanFile> {
  const found = await promises.readdir(join(root, under), { withFileTypes: true })
  for (const entry of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* filesToScan(root, isScanned, path)
    } else if (isScanned(path)) {
      const file = join(root, path)
      const facts = await promises.stat(file).catch(unlessGone)
      if (facts?.isFile() === true)
        yield { path, size: facts.size, read: () => promises.readFile(file, 'utf8') }
    }
  }
}

/** The position of a folder in its git repository, `.` for its root; undefined: in none, or not readable. */
export async function placeInRepository(folder: string): Promise<string | undefined> {
  try {
    const start = await promises.realpath(folder)
    for (let at = start; ; at = dirname(at)) {
      // In a work tree and in a submodule it is a file.
      const git = await promises.stat(join(at, '.git')).catch(unlessGone)
      if (git !== undefined) return relative(at, start).replaceAll(sep, '/') || '.'
      if (dirname(at) === at) return undefined
    }
  } catch {
    return undefined
  }
}

/** A link that leads nowhere has no code. A file that may not be looked at has some, and must not be missing silently. */
function unlessGone(error: unknown): undefined {
  if (
    error instanceof Error &&
    'code' in error &&
    ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(error.code))
  )
    return undefined
  throw error
}
