import { isList, isNumber, isObject, type Exact } from './exact.ts'

/** What stands where a value must not be shown. */
export const SENSITIVE = '(sensitive)'

export type Step = string | number
export type Path = readonly Step[]

/** What must not be shown of one resource instance. */
export interface Mask {
  /** Whether a value at this path, or one of its parts, is sensitive on either side. */
  hides(path: Path, before: Exact | undefined, after: Exact | undefined): boolean
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

/** Shorter ones are in too many other values by chance. */
const MIN_SECRET_LENGTH = 4

export function maskFor(type: string, sides: ReadonlyArray<ReadonlyMap<string, Exact>>): Mask {
  const paths = sides.flatMap((instance) => sensitivePaths(instance.get('sensitive_attributes')))
  const telling = TELLING_TYPES.get(type)
  const secrets = new Set<string>()
  for (const instance of sides) collectSecrets([], instance.get('attributes') ?? null)

  function covers(path: Path): boolean {
    if (path.some((step) => typeof step === 'string' && (TELLING.test(step) || step === telling))) return true
    return paths.some(
      (sensitive) => overlap(sensitive, path) || overlap(unwrapped(sensitive), unwrapped(path)),
    )
  }

  /** Providers copy arguments into computed attributes, which then carry the secret without its mark. */
  function collectSecrets(path: Path, value: Exact): void {
    if (isObject(value)) for (const [key, member] of value) collectSecrets([...path, key], member)
    else if (isList(value)) value.forEach((item, index) => collectSecrets([...path, index], item))
    else if (typeof value === 'string' && value.length >= MIN_SECRET_LENGTH && covers(path))
      secrets.add(value)
  }

  function holds(value: Exact | undefined): boolean {
    if (typeof value === 'string') return [...secrets].some((secret) => value.includes(secret))
    if (isList(value)) return value.some(holds)
    if (!isObject(value)) return false
    for (const [key, member] of value) if (TELLING.test(key) || holds(member)) return true
    return false
  }

  return {
    hides: (path, before, after) => path.length === 0 || covers(path) || holds(before) || holds(after),
  }
}

/**
 * An attribute of any type is written as `{"value": …, "type": …}`, and the recorded paths lead through it without
 * that step. Whether an object is such a wrapper cannot be seen, so paths are also compared without it.
 */
function unwrapped(path: Path): Path {
  return path.filter((step) => step !== 'value')
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
