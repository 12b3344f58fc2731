import { createHash } from 'node:crypto'
import type { UsedOutputs } from './rollout-services.ts'

/** Everything that an apply is made from, as far as it can be read off files and documents. */
export interface Configuration {
  /** Paths relative to the repository, with the SHA-256 of their content. The provider lock file is one of them. */
  readonly files: Readonly<Record<string, string>>
  /** Given besides the files: of taco.yaml and of the environment (`TF_VAR_*`). */
  readonly variables: Readonly<Record<string, unknown>>
  readonly varFiles: readonly string[]
  readonly uses: readonly UsedOutputs[]
  /** Name and version: `tofu 1.12.6`. */
  readonly engine: string
}

/** Raised when what is taken in changes, so that no old fingerprint is mistaken for a new one. */
const RECIPE = 1

/** Equal fingerprints: the same configuration, variables, inputs, providers and engine. Pure. */
export function fingerprintOf(configuration: Configuration): string {
  const { files, variables, varFiles, uses, engine } = configuration
  const inputs = uses
    .map(({ unit, outputs }) => [unit.id, sorted(outputs)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify([RECIPE, sorted(files), sortedDeep(variables), varFiles, inputs, engine])
  return createHash('sha256').update(text).digest('hex')
}

/** Which files of a folder matter: all but what engines and version control leave there. */
export function isConfiguration(name: string): boolean {
  if (name === '.terraform.lock.hcl') return true
  if (name.startsWith('.')) return false
  return !/\.tfstate(\..*)?$|\.tfplan$|^crash(\..*)?\.log$/.test(name)
}

const CODE = /\.(tf|tofu)(\.json)?$/

export function isCode(name: string): boolean {
  return CODE.test(name)
}

/**
 * Paths outside of the folder that code names in plain text: sources of local modules, `file("../x")`,
 * `"${path.module}/../x"`. What is put together at run time cannot be seen.
 */
export function referencedPaths(code: string): readonly string[] {
  const found = new Set<string>()
  for (const [, text = ''] of code.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)) {
    const path = text.replace(/^\$\{path\.(module|root|cwd)\}\//, './')
    if (/^\.\.?\//.test(path) && !/[$%]\{/.test(path)) found.add(path)
  }
  return [...found]
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
