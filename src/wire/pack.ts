import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from 'tar'
import { type IsIgnored, ignoreRules } from '../base/archive/ignore-rules.ts'
import { TacoError, reasonOf } from '../base/errors.ts'

/**
 * A folder as a tar archive, compressed with gzip. The same files give the same bytes, so publishing again what is
 * published changes nothing.
 */
export async function packFolder(
  folder: string,
): Promise<{ readonly bytes: Buffer; readonly files: number }> {
  try {
    const isIgnored = ignoreRules(await readFile(join(folder, '.terraformignore'), 'utf8').catch(() => ''))
    const paths: string[] = []
    await collect(folder, '', isIgnored, paths)
    if (paths.length === 0)
      throw new TacoError('BAD_REQUEST', `There is nothing to pack in ${folder}.`, {
        hint: 'Name the folder of the module. Files that .terraformignore names are left out.',
      })
    // A name that begins with @ would be taken for another archive.
    const named = paths.map((path) => `./${path}`)
    const parts: Buffer[] = []
    const options = {
      cwd: folder,
      gzip: { level: 9 },
      portable: true,
      noDirRecurse: true,
      mtime: new Date(0),
    }
    for await (const part of create(options, named) as AsyncIterable<Buffer>) parts.push(part)
    return { bytes: Buffer.concat(parts), files: paths.length }
  } catch (error) {
    if (error instanceof TacoError) throw error
    throw new TacoError('BAD_REQUEST', `Cannot pack ${folder}: ${reasonOf(error)}.`, {
      hint: 'Name a folder whose files can be read.',
      cause: error,
    })
  }
}

async function collect(root: string, at: string, isIgnored: IsIgnored, paths: string[]): Promise<void> {
  const entries = await readdir(join(root, at), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`
    if (isIgnored(path, entry.isDirectory())) continue
    if (entry.isDirectory()) await collect(root, path, isIgnored, paths)
    else if (entry.isFile() || entry.isSymbolicLink()) paths.push(path)
  }
}
