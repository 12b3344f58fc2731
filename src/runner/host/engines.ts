import { accessSync, constants } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { TacoError } from '../../base/errors.ts'
import { engineVersion, findEngine, startEngine } from '../../engines/index.ts'
import type { ProjectUnit } from '../../project/index.ts'
import type { Machine } from './machine.ts'

/** Engines as one worker uses them: found once, asked for their version once. */
export interface Engines {
  find(unit: ProjectUnit): string
  version(program: string): Promise<string>
  /** Asks the default engine for its version before it is needed. */
  foresee(): void
}

export function openEngines(machine: Machine): Engines {
  const places = { folders: (machine.env['PATH'] ?? '').split(delimiter), isProgram }
  const found = new Map<string | undefined, string>()
  const versions = new Map<string, Promise<string>>()

  async function ask(program: string): Promise<string> {
    const env = { PATH: machine.env['PATH'] ?? '', CHECKPOINT_DISABLE: '1' }
    const asked = startEngine({
      program,
      args: ['version', '-json'],
      cwd: machine.cwd,
      env,
      onLine: () => {},
      ownGroup: true,
    })
    const { output } = await asked.ended
    const version = engineVersion(program, output)
    if (version !== undefined) return version
    throw new TacoError('UNEXPECTED', `${program} does not report its version.`, {
      hint: 'Check that it is OpenTofu or Terraform.',
    })
  }

  function find({ engine }: Pick<ProjectUnit, 'engine'>): string {
    const wanted = engine ?? machine.env['TACO_ENGINE']
    let path = found.get(wanted)
    if (path === undefined) {
      path = findEngine(wanted?.includes('/') === true ? resolve(machine.cwd, wanted) : wanted, places)
      found.set(wanted, path)
    }
    return path
  }

  function versionOf(program: string): Promise<string> {
    let version = versions.get(program)
    if (version === undefined) {
      version = ask(program)
      // Callers get the failure from `version`.
      version.catch(() => {})
      versions.set(program, version)
    }
    return version
  }

  return {
    find,
    version: versionOf,
    foresee() {
      try {
        void versionOf(find({}))
      } catch {
        // Units may name other engines, which are there.
      }
    },
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
