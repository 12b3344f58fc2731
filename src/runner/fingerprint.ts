import { createHmac } from 'node:crypto'
import { sha256Hex } from '../base/sha256-hex.ts'
import type { UsedOutputs } from '../rollouts/index.ts'

/** Everything that an apply is made from, as far as it can be read off files and documents. */
export interface Configuration {
  /** Paths relative to the repository, with the SHA-256 of their content. The provider lock file is one of them. */
  readonly files: Readonly<Record<string, string>>
  /** Given in addition to the files: by taco.yaml and by the environment (`TF_VAR_*`). */
  readonly variables: Readonly<Record<string, unknown>>
  readonly varFiles: readonly string[]
  readonly uses: readonly UsedOutputs[]
  /** Stands for the variables that apply to the unit. Null: there are none. */
  readonly given: string | null
}

/** Raised when what is taken in changes, so that no old fingerprint is mistaken for a new one. */
const RECIPE = 5
/** The first part is of the configuration, the second of the engine. */
const CONFIGURATION_LENGTH = 48
const ENGINE_LENGTH = 16

/**
 * The part of a fingerprint that comes from files and documents. Pure. It is shown and stored, and variables may be
 * short secrets: without the unit's key no one can try values until one fits.
 */
export function configurationPrint(
  { files, variables, varFiles, uses, given }: Configuration,
  key: string,
): string {
  const inputs = uses
    .map(({ unit, outputs, inputs: taken }) => [unit.id, sorted(outputs), sorted(taken)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHmac('sha256', key)
    .update(
      JSON.stringify([
        RECIPE,
        sorted(files),
        sortedDeep(variables),
        varFiles,
        inputs,
        ...(given === null ? [] : [given]),
      ]),
    )
    .digest('hex')
    .slice(0, CONFIGURATION_LENGTH)
}

/**
 * Equal fingerprints mean the same configuration, variables, inputs, providers and engine (name and version: `tofu
 * 1.12.6`). Asking an engine for its version takes as long as some applies, so we first check without it whether it
 * matters.
 */
export function fingerprintOf(configuration: string, engine: string): string {
  return configuration + sha256Hex(engine).slice(0, ENGINE_LENGTH)
}

/** False: whatever the engine is, the fingerprint will be another. */
export function isOfConfiguration(fingerprint: string, configuration: string): boolean {
  return (
    fingerprint.length === CONFIGURATION_LENGTH + ENGINE_LENGTH &&
    fingerprint.slice(0, CONFIGURATION_LENGTH) === configuration
  )
}

const LEFT_BEHIND = new Set(['.terraform', '.terragrunt-cache', '.git', '.hg', '.svn', '.DS_Store'])

/** Which files of a folder matter: all but what engines and version control leave there. */
export function isConfiguration(name: string): boolean {
  return !LEFT_BEHIND.has(name) && !/\.tfstate(\..*)?$|\.tfplan$|^crash(\..*)?\.log$/.test(name)
}

const CODE = /\.(tf|tofu)(\.json)?$/

export function isCode(name: string): boolean {
  return CODE.test(name)
}

/** A path that code names, from the folder of the module that names it, the unit's own folder, or one of both. */
export interface NamedPath {
  readonly path: string
  readonly from: 'module' | 'root' | 'either'
}

/** `"${path.module}/…`, `"./…`, `"../…`: also inside of a text that is put together from several. */
const RELATIVE = /"(?:\$\{path\.(module|root|cwd)\}\/|(?=\.\.?\/))((?:[^"\\\n$%]|[$%](?!\{))*)/g
/** Any other text is a path only where a function takes one. */
const TAKEN = /file\w*\((?:\s*pathexpand\()?\s*\\?"([/~][^"\\\n$%]+|\.\.)\\?"/g

/**
 * Paths that code names in plain text: sources of local modules, `file("../x")`, `"${path.module}/../x"`. Of what is
 * completed at run time, and of a pattern, the folder that it begins with.
 */
export function referencedPaths(code: string): readonly NamedPath[] {
  const found = new Map<string, NamedPath>()
  const add = (path: string, from: NamedPath['from']) => found.set(`${from} ${path}`, { path, from })
  for (const match of code.matchAll(RELATIVE)) {
    const [all, base, text = ''] = match
    const end = match.index + all.length
    const isWhole = code.startsWith('"', end) || code.startsWith('\\"', end)
    const path = isWhole ? text.replace(/[^/]*[*?[{].*$/, '') : text.replace(/[^/]*$/, '')
    // Up and up, and then wherever a run says: that could be anything in the repository.
    const isCut = !isWhole || path !== text
    const isSomewhere = isCut && path.split('/').every((part) => /^\.{0,2}$/.test(part))
    if (!isSomewhere) add(path, base === undefined ? 'either' : base === 'module' ? 'module' : 'root')
  }
  for (const [, path = ''] of code.matchAll(TAKEN)) add(path, 'either')
  return [...found.values()]
}

function sorted(record: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function sortedDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedDeep)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, sortedDeep(one)])
}
