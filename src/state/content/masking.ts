import { isList, isNumber, isObject, type Exact } from './exact.ts'

/** What stands where a value must not be shown. */
export const SENSITIVE = '(sensitive)'

export type Step = string | number
export type Path = readonly Step[]

/** What must not be shown of one resource instance. */
export interface Mask {
  /** True when something at, above or below this path is sensitive. */
  covers(path: Path): boolean
}

/**
 * Older engines record only what the configuration marked, not what the provider's schema calls sensitive.
 * Names that say what they hold are masked as well.
 */
const TELLING =
  /pass(word|wd|phrase|code)|secret|token|credential|private_?key|api_?key|access_?key|auth_?key|account_key|signing_?key|connection_?string|kube_?config|user_data|sas_url|bcrypt_hash|^private$|^psk$|_pem$/i
const TELLING_TYPES = new Map([
  ['random_password', 'result'],
  ['random_bytes', 'base64'],
  ['vault_generic_secret', 'data'],
])

export function maskFor(type: string, sides: ReadonlyArray<ReadonlyMap<string, Exact>>): Mask {
  const paths: Path[] = []
  for (const instance of sides) paths.push(...sensitivePaths(instance.get('sensitive_attributes')))
  const telling = TELLING_TYPES.get(type)
  return {
    covers(path) {
      if (path.some((step) => typeof step === 'string' && (TELLING.test(step) || step === telling)))
        return true
      return paths.some((sensitive) => overlap(sensitive, path))
    },
  }
}

/** Fails closed: the part of a path that cannot be understood, and all below it, counts as sensitive. */
function sensitivePaths(recorded: Exact | undefined): Path[] {
  if (recorded === undefined || recorded === null) return []
  if (!isList(recorded)) return [[]]
  return recorded.map((path) => {
    const steps: Step[] = []
    for (const step of isList(path) ? path : []) {
      const known = readStep(step)
      if (known === undefined) break
      steps.push(known)
    }
    return steps
  })
}

function readStep(step: Exact): Step | undefined {
  if (!isObject(step)) return undefined
  const value = step.get('value')
  if (step.get('type') === 'get_attr') return typeof value === 'string' ? value : undefined
  if (step.get('type') !== 'index' || !isObject(value)) return undefined
  const key = value.get('value')
  if (value.get('type') === 'string') return typeof key === 'string' ? key : undefined
  if (value.get('type') !== 'number' || !isNumber(key)) return undefined
  const index = Number(key.digits)
  return Number.isSafeInteger(index) ? index : undefined
}

function overlap(a: Path, b: Path): boolean {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false
  return true
}

/** A list or object that is shown as a whole must not carry a telling name inside. */
export function holdsTelling(value: Exact | undefined): boolean {
  if (isList(value)) return value.some(holdsTelling)
  if (!isObject(value)) return false
  for (const [key, member] of value) if (TELLING.test(key) || holdsTelling(member)) return true
  return false
}
