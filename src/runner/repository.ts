import { dirname, resolve } from 'node:path'
import { TacoError } from '../base/errors.ts'
import { nearest } from '../base/text/nearest.ts'
import type { Project, ProjectUnit } from '../project/index.ts'

/** The repository whose units are run. */
export interface Repository {
  readonly project: Project
  /** The path of its `taco.yaml`, absolute. */
  readonly file: string
  /** Absolute. */
  readonly root: string
  /** The absolute folders of all units. */
  readonly folders: ReadonlySet<string>
  unit(name: string): ProjectUnit | undefined
}

/** `file` is the absolute path of the `taco.yaml` that the project was read from. */
export function repositoryOf(project: Project, file: string): Repository {
  const units = new Map(project.units.map((unit) => [unit.name, unit]))
  const root = dirname(file)
  const folders = new Set(project.units.map(({ dir }) => resolve(root, dir)))
  return { project, file, root, folders, unit: (name) => units.get(name) }
}

/** The repository for a worker that leaves these units alone. */
export function withoutUnits(repository: Repository, names: ReadonlySet<string>): Repository {
  const { project, unit } = repository
  return {
    ...repository,
    project: { ...project, units: project.units.filter(({ name }) => !names.has(name)) },
    unit: (name) => (names.has(name) ? undefined : unit(name)),
  }
}

export function unitNamed({ unit, project }: Repository, name: string): ProjectUnit {
  const found = unit(name)
  if (found !== undefined) return found
  const guess = nearest(
    name,
    project.units.map((one) => one.name),
  )
  const hint =
    project.units.length === 0
      ? 'It names no units at all.'
      : 'Add it, or run the worker in the repository that names it.'
  throw new TacoError('NOT_FOUND', `taco.yaml does not name the folder of ${name}.`, {
    facts: { unit: name, ...(guess === undefined ? {} : { nearest: guess }) },
    hint: guess === undefined ? hint : `Did you mean ${guess}?`,
  })
}
