import { sentence } from '../base/text/sentence.ts'
import { LineCounter, type YAMLError, parseDocument } from 'yaml'
import { z } from 'zod'
import { isTacoError } from '../base/errors.ts'
import { nearest } from '../base/text/nearest.ts'
import { checkLabelCount, parseLabels, parseOrgName, parseUnitName } from '../state/index.ts'
import { findCycles, spellCycle } from '../graph/index.ts'
import type { Faults } from './faults.ts'
import { openFaults } from './faults.ts'
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
import { checkNodes, valuesOf } from './nodes.ts'
import type { Project, ProjectDependency, ProjectUnit } from './project.ts'

type Path = readonly PropertyKey[]

/**
 * Reads a `taco.yaml`. Throws BAD_REQUEST with every fault of the file, each with line and column.
 * `path` names the file: in messages, and its folder is the project's root.
 */
export function readProject(text: string, path: string): Project {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const faults = openFaults(path, document, lines)
  refuseSyntax([...document.errors, ...document.warnings], faults)
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

/** The parser's own words, unless they address programmers. */
function refuseSyntax(found: readonly YAMLError[], faults: Faults): void {
  if (found.some(({ message }) => message.includes('call stack')))
    faults.addAt(0, 'The file is nested too deeply.')
  else
    for (const { pos, code, message } of found)
      faults.addAt(
        pos[0],
        code === 'MULTIPLE_DOCS' ? 'The file must be one document. Remove `---`.' : sentence(message),
      )
  faults.throwIfAny()
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

/** Every issue becomes a fault with its position, unknown keys included. */
function parsed<T extends z.ZodType>(
  schema: T,
  value: unknown,
  path: Path,
  keys: readonly string[] | undefined,
  faults: Faults,
): z.infer<T> | undefined {
  const result = schema.safeParse(value)
  if (keys !== undefined && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const key of Object.keys(value).filter((name) => !keys.includes(name))) {
      const guess = nearest(key, keys)
      const advice = guess === undefined ? `Known keys are ${keys.join(', ')}.` : `Did you mean ${guess}?`
      faults.add([...path, key], `The key ${JSON.stringify(key)} is unknown. ${advice}`, 'key')
    }
  }
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    const isKey = issue.code === 'invalid_key'
    const message = isKey ? (issue.issues[0]?.message ?? issue.message) : issue.message
    faults.add([...path, ...issue.path], sayType(message), isKey ? 'key' : 'value')
  }
  return undefined
}

function sayType(message: string): string {
  if (message.startsWith('Too small')) return 'This is empty.'
  const types = /^Invalid input: expected (\w+), received (\w+)$/.exec(message)
  const words: Readonly<Record<string, string>> = {
    record: 'a map',
    object: 'a map',
    array: 'a list',
    string: 'text',
    number: 'a number',
    boolean: 'true or false',
    null: 'nothing',
  }
  const word = (type = '') => words[type] ?? type
  return types === null ? sentence(message) : `This must be ${word(types[1])}, not ${word(types[2])}.`
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
