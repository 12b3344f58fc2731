import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Project, ProjectUnit } from '../../graph/index.ts'
import { TacoError } from '../../base/errors.ts'
import { usageError } from './failures.ts'
import type { Session } from './session.ts'
import type { RepositoryTools } from './wiring.ts'

/** The repository that a command works in. */
export interface Repository {
  readonly project: Project
  /** Absolute. */
  readonly root: string
  readonly tools: RepositoryTools
  unit(name: string): ProjectUnit | undefined
}

const FILE = 'taco.yaml'

/** `taco.yaml` as named, or the nearest one from here up. */
export async function openRepository(session: Session, named: string | undefined): Promise<Repository> {
  const { cwd } = session.world
  const path = named === undefined ? nearestFile(cwd) : resolve(cwd, named)
  if (path === undefined || !existsSync(path)) {
    throw usageError(
      named === undefined ? `there is no ${FILE} here or above` : `there is no file ${named}`,
      'run this in the repository that holds it, or name it with --file; `taco scan` proposes one',
    )
  }
  const tools = await session.world.repository()
  const project = tools.readProject(readFileSync(path, 'utf8'), path)
  const org = project.org ?? session.org()
  if (org !== session.org()) {
    throw new TacoError('CONFLICT', `${FILE} is about the organization ${org}, not ${session.org()}`, {
      hint: `give --org ${org}`,
    })
  }
  const units = new Map(project.units.map((unit) => [unit.name, unit]))
  return { project, root: dirname(path), tools, unit: (name) => units.get(name) }
}

function nearestFile(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, FILE)
    if (existsSync(path)) return path
    if (dirname(folder) === folder) return undefined
  }
}
