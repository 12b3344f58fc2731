import { z } from 'zod'
import { isTacoError } from '../base/errors.ts'
import type { Faults } from '../base/yaml/faults.ts'
import { parseYaml, parsed, valuesOf } from '../base/yaml/read-yaml.ts'
import { checkLabelCount, parseLabels, parseOrgName, parseUnitName } from '../state/index.ts'
import { findCycles, spellCycle } from '../graph/index.ts'
import {
  DEPENDENCY_KEYS,
  DependencyEntry,
  OUTPUT_NAMES,
  OutputNames,
  PROJECT_KEYS,
  ProjectFile,
  UNIT_KEYS,
  UnitEntry,
} from './file.ts'
import { checkNodes } from './nodes.ts'
import type { Project, ProjectDependency, ProjectUnit } from './project.ts'

type Path = readonly PropertyKey[]

/**
 * Reads a `taco.yaml`. Throws BAD_REQUEST with every fault of the file, each with line and column.
 * `path` names the file: in messages, and its folder is the project's root.
 */
export function readProject(text: string, path: string): Project {
  const { document, faults } = parseYaml(text, { path, page: 'docs/project.md' })
  checkNodes(document, faults)
  faults.throwIfAny()

  const values = valuesOf(document, faults)
  faults.throwIfAny()
  const file = parsed(ProjectFile, values ?? {}, [], PROJECT_KEYS, faults)
  if (file?.org !== undefined) asFault(() => parseOrgName(file.org ?? ''), ['org'], faults)
  const units = Object.entries(file?.units ?? {}).map(([name, entry]) =>
    readUnit(name, entry, file?.engine, faults),
  )
  refuseCycles(units, faults)
  faults.throwIfAny()
  return { ...(file?.org === undefined ? {} : { org: file.org }), root: folderOf(path), units }
}

function readUnit(name: string, value: unknown, engine: string | undefined, faults: Faults): ProjectUnit {
  const path = ['units', name]
  asFault(() => parseUnitName(name), path, faults, 'key')
  const entry: UnitEntry = parsed(UnitEntry, value ?? {}, path, UNIT_KEYS, faults) ?? {}
  const dir = entry.dir ?? name
  if (/^([/\\]|[A-Za-z]:)/.test(dir) || normalized(dir) === undefined)
    faults.add([...path, 'dir'], `The folder ${JSON.stringify(dir)} is outside the project.`)
  asFault(() => checkLabelCount(entry.labels ?? {}), [...path, 'labels'], faults, 'key')
  for (const [label, text] of Object.entries(entry.labels ?? {}))
    asFault(() => parseLabels({ [label]: text }), [...path, 'labels', label], faults, 'key')
  const chosen = entry.engine ?? engine
  return {
    name,
    dir: normalized(dir) ?? '.',
    ...(chosen === undefined ? {} : { engine: chosen }),
    dependencies: readDependencies(name, entry.dependencies, [...path, 'dependencies'], faults),
    varFiles: entry.var_files ?? [],
    variables: entry.variables ?? {},
    labels: entry.labels ?? {},
  }
}

function readDependencies(
  unit: string,
  entry: UnitEntry['dependencies'],
  path: Path,
  faults: Faults,
): readonly ProjectDependency[] {
  const found = new Map<string, ProjectDependency>()
  const add = (dependency: ProjectDependency, at: Path) => {
    asFault(() => parseUnitName(dependency.on), at, faults, 'key')
    if (dependency.on === unit) faults.add(at, `${unit} cannot depend on itself.`, 'key')
    if (found.has(dependency.on)) faults.add(at, `${dependency.on} is named twice.`, 'key')
    found.set(dependency.on, dependency)
  }
  if (Array.isArray(entry)) {
    for (const [i, one] of entry.entries()) {
      const text = parsed(z.string(), one, [...path, i], undefined, faults)
      if (text === undefined) continue
      const [, on = '', names] = /^([^:]*)(?::([\s\S]*))?$/.exec(text) ?? []
      const outputs = names === undefined ? null : names.trim() === '' ? [] : names.split(',')
      const known = outputs?.map((name) => name.trim()) ?? null
      if (known?.every((name) => OutputNames.element.safeParse(name).success) === false)
        faults.add([...path, i], OUTPUT_NAMES)
      add({ on, outputs: known, inputs: {} }, [...path, i])
    }
  } else {
    for (const [on, value] of Object.entries(entry ?? {}))
      add(readForm(on, value, [...path, on], faults), [...path, on])
  }
  return [...found.values()]
}

/** `all`, nothing, a list of outputs, or a map. */
function readForm(on: string, value: unknown, path: Path, faults: Faults): ProjectDependency {
  if (value === null || value === 'all') return { on, outputs: null, inputs: {} }
  if (Array.isArray(value)) {
    const outputs = parsed(OutputNames, value, path, undefined, faults) ?? []
    return { on, outputs: unique(outputs), inputs: {} }
  }
  const { outputs, inputs = {} } = parsed(DependencyEntry, value, path, DEPENDENCY_KEYS, faults) ?? {}
  const mapped = Object.values(inputs)
  if (outputs === 'all' || (outputs === undefined && mapped.length === 0))
    return { on, outputs: null, inputs }
  return { on, outputs: unique([...(outputs ?? []), ...mapped]), inputs }
}

function asFault(work: () => unknown, path: Path, faults: Faults, at?: 'key' | 'value'): void {
  try {
    work()
  } catch (error) {
    if (!isTacoError(error)) throw error
    faults.add(path, error.hint === undefined ? error.message : `${error.message} ${error.hint}`, at)
  }
}

function refuseCycles(units: readonly ProjectUnit[], faults: Faults): void {
  const edges = new Map(
    units.map(({ name, dependencies }) => [
      name,
      dependencies.map(({ on }) => on).filter((on) => on !== name),
    ]),
  )
  for (const cycle of findCycles(edges)) {
    const [first = '', second = ''] = cycle
    faults.add(
      ['units', first, 'dependencies', second],
      `These units depend on each other in a cycle: ${spellCycle(cycle)}.`,
      'key',
    )
  }
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}

function folderOf(path: string): string {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  return at === -1 ? '.' : path.slice(0, at) || '/'
}

/** Undefined: it leads out of the project. */
function normalized(dir: string): string | undefined {
  const parts: string[] = []
  for (const part of dir.split(/[/\\]/)) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else parts.push(part)
  }
  return parts.join('/') || '.'
}
