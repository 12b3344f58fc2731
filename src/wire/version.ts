import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** From the package that contains this code, built or not. */
export function packageVersion(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const version = versionIn(join(folder, 'package.json'))
    if (version !== undefined) return version
    if (folder === dirname(folder)) return 'unknown'
  }
}

function versionIn(file: string): string | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const isOurs = typeof found === 'object' && found !== null && 'name' in found && found.name === 'opentaco'
    return isOurs && 'version' in found && typeof found.version === 'string' ? found.version : undefined
  } catch {
    return undefined
  }
}
