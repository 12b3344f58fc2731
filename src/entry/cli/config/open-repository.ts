import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { TacoError, reasonOf } from '../../../base/errors.ts'
import { type Repository, repositoryOf } from '../../../runner/index.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { understood } from './project-cache.ts'
import type { Session } from '../session.ts'

const FILE = 'taco.yaml'
const OTHER_NAME = 'taco.yml'

/** `taco.yaml` as named, or the nearest one from here up. */
export async function openRepository(session: Session, named: string | undefined): Promise<Repository> {
  const { cwd } = session.world
  const path = named === undefined ? nearestFile(cwd) : resolve(cwd, named)
  if (path === undefined || !existsSync(path)) {
    const other = named === undefined && existsSync(join(cwd, OTHER_NAME))
    throw usageError(
      named === undefined ? `There is no ${FILE} in this folder or above.` : `There is no file ${named}.`,
      other
        ? `Rename ${OTHER_NAME} to ${FILE}, or give --file ${OTHER_NAME}.`
        : 'Run this in the repository that contains it, or name it with --file. `taco scan` proposes one.',
    )
  }
  const shown = relative(cwd, path)
  const project = await understood(session.world, { path, shown, content: textOf(path, named ?? FILE) })
  const org = project.org ?? session.org()
  if (org !== session.org()) {
    throw new TacoError('CONFLICT', `${FILE} is for the organization ${org}, not ${session.org()}.`, {
      hint: `Give --org ${org}.`,
    })
  }
  return repositoryOf(project, path)
}

function textOf(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const isFolder = error instanceof Error && 'code' in error && error.code === 'EISDIR'
    throw usageError(
      isFolder ? `${shown} is a folder.` : `Cannot read ${shown}: ${reasonOf(error)}.`,
      `Name the file, such as --file ${join(shown, FILE)}.`,
    )
  }
}

function nearestFile(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, FILE)
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path
    if (dirname(folder) === folder) return undefined
  }
}
