import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive, placeOfProcesses } from './process-life.ts'

/**
 * A private folder for the input of engines. All runs of a worker share it: on some file systems, creating and removing
 * a folder takes longer than everything else that a step does on the disk.
 */
export interface RunFolder {
  /** Starts the files of one run. */
  open(): RunFiles
  remove(): void
}

/** The files of one run. */
export interface RunFiles {
  /** The path of a file that is not there yet. */
  file(name: string): string
  /** Gives the path of the file. */
  write(name: string, text: string): string
  remove(): void
}

const PREFIX = 'taco-run-'

export function openRunFolder(): RunFolder {
  let made: string | undefined
  let files = 0

  /** Created with the first file, and again if it was cleaned up. */
  function folder(): string {
    if (made === undefined || !existsSync(made))
      made = mkdtempSync(join(tmpdir(), `${PREFIX}${placeOfProcesses()}-${process.pid}-`))
    return made
  }

  return {
    open() {
      const own: string[] = []
      const file = (name: string) => {
        const path = join(folder(), `${files++}-${name}`)
        own.push(path)
        return path
      }
      return {
        file,
        write(name, text) {
          const path = file(name)
          writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
          return path
        },
        remove() {
          // The next step waits for this: `rmSync` takes longer, and a part of Node to be loaded.
          for (const path of own) if (existsSync(path)) unlinkSync(path)
        },
      }
    },
    remove() {
      if (made !== undefined) rmSync(made, { recursive: true, force: true })
    },
  }
}

/** An engine reads its input at once; what a killed worker left has no owner after that. */
const ABANDONED_MS = 60_000
/** For other machines and containers that share the folder, and from before a restart, only the age decides. */
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
