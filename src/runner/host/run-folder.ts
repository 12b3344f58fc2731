import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive, placeOfProcesses } from './process-life.ts'

/** A folder that nobody else may look into, for what an engine is given and what it says. */
export interface RunFolder {
  /** Path of a file that is not there yet. */
  file(name: string): string
  /** Gives the path of the file. */
  write(name: string, text: string): string
  remove(): void
}

const PREFIX = 'taco-run-'

export function makeRunFolder(): RunFolder {
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${placeOfProcesses()}-${process.pid}-`))
  const files: string[] = []
  const added = (name: string) => {
    const file = join(path, name)
    files.push(file)
    return file
  }
  return {
    file: (name) => added(`${files.length}-${name}`),
    write(name, text) {
      const file = added(name)
      writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
      return file
    },
    remove() {
      try {
        // The next step waits for this: taking a whole tree away takes longer, and a part of Node to be loaded.
        for (const file of files) if (existsSync(file)) unlinkSync(file)
        rmdirSync(path)
      } catch {
        rmSync(path, { recursive: true, force: true })
      }
    },
  }
}

/** An engine reads what it is given at once; what a killed worker left is nobody's after that. */
const ABANDONED_MS = 60_000
/** Of other machines and containers that share the folder, and from before a restart, only the age tells. */
const FORGOTTEN_MS = 7 * 24 * 3600_000

/** Takes away what workers left that were killed: it may hold secrets. Never a reason to fail. */
export function removeAbandoned(now: number): void {
  for (const name of namesIn(tmpdir())) {
    const owner = ownerOf(name)
    if (owner === undefined || (owner.isOurs && isAlive(owner.pid))) continue
    try {
      const path = join(tmpdir(), name)
      const age = now - statSync(path).mtimeMs
      if (age > (owner.isOurs ? ABANDONED_MS : FORGOTTEN_MS)) rmSync(path, { recursive: true, force: true })
    } catch {
      // Somebody else's, or just gone.
    }
  }
}

function ownerOf(name: string): { readonly pid: number; readonly isOurs: boolean } | undefined {
  const [, place, pid] = /^taco-run-(?:([0-9a-f]{12})-)?(\d+)-/.exec(name) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), isOurs: place === placeOfProcesses() }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
