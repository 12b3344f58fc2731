import { isList, isNumber, isObject, type Exact } from './exact.ts'
import { SecretSearch } from './secret-search.ts'

/** Shown in place of a value that must stay hidden. */
export const SENSITIVE = '(sensitive)'

export type Step = string | number
export type Path = readonly Step[]

/** A place in one resource instance, and what must not be shown there. */
export interface MaskedPlace {
  /** The place one step further down. */
  at(step: Step): MaskedPlace
  /** Whether a value here, or one of its parts, is sensitive on either side. */
  hides(before: Exact | undefined, after: Exact | undefined): boolean
}

/**
 * Older engines record only what the configuration marked, not what the provider's schema calls sensitive. So we also
 * mask by revealing names.
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

/** Gives the place of the attributes as a whole. */
export function maskFor(type: string, sides: ReadonlyArray<ReadonlyMap<string, Exact>>): MaskedPlace {
  const paths = sides.flatMap((instance) => sensitivePaths(instance.get('sensitive_attributes')))
  const telling = TELLING_TYPES.get(type)
  const start: Place = {
    isTelling: false,
    marked: marksOf(paths),
    unwrapped: marksOf(paths.map((path) => path.filter((step) => step !== WRAPPER))),
  }
  let found: SecretSearch | undefined
  /** Only a change that is not covered by its place is searched. */
  const search = () => (found ??= new SecretSearch(secretsIn(sides)))

  function below(place: Place, step: Step): Place {
    const isTelling =
      place.isTelling || (typeof step === 'string' && (TELLING.test(step) || step === telling))
    return {
      isTelling,
      marked: marksBelow(place.marked, step),
      unwrapped: step === WRAPPER ? place.unwrapped : marksBelow(place.unwrapped, step),
    }
  }

  /** Providers copy arguments into computed attributes, which then carry the secret without its mark. */
  function secretsIn(instances: ReadonlyArray<ReadonlyMap<string, Exact>>): Set<string> {
    const secrets = new Set<string>()
    const collect = (place: Place, value: Exact): void => {
      if (isObject(value)) for (const [key, member] of value) collect(below(place, key), member)
      else if (isList(value)) value.forEach((item, index) => collect(below(place, index), item))
      else if (typeof value === 'string' && value.length >= MIN_SECRET_LENGTH && isCovered(place))
        secrets.add(value)
    }
    for (const instance of instances) collect(start, instance.get('attributes') ?? null)
    return secrets
  }

  function holds(value: Exact | undefined): boolean {
    if (typeof value === 'string') return search().isIn(value)
    if (isList(value)) return value.some(holds)
    if (!isObject(value)) return false
    for (const [key, member] of value) if (TELLING.test(key) || holds(member)) return true
    return false
  }

  const masked = (place: Place, isWhole: boolean): MaskedPlace => ({
    at: (step) => masked(below(place, step), false),
    hides: (before, after) => isWhole || isCovered(place) || holds(before) || holds(after),
  })
  return masked(start, true)
}

interface Place {
  /** A name on the way here is a revealing one. */
  readonly isTelling: boolean
  readonly marked: Marks | undefined
  readonly unwrapped: Marks | undefined
}

/** Recorded paths as a tree. Undefined: none leads on from here. */
interface Marks {
  isEnd: boolean
  readonly next: Map<Step, Marks>
}

function marksOf(paths: readonly Path[]): Marks | undefined {
  if (paths.length === 0) return undefined
  const root: Marks = { isEnd: false, next: new Map() }
  for (const path of paths) {
    let marks = root
    for (const step of path) {
      let next = marks.next.get(step)
      if (next === undefined) marks.next.set(step, (next = { isEnd: false, next: new Map() }))
      marks = next
    }
    marks.isEnd = true
  }
  return root
}

/** All that is below the end of a recorded path is sensitive. */
function marksBelow(marks: Marks | undefined, step: Step): Marks | undefined {
  return marks?.isEnd === true ? marks : marks?.next.get(step)
}

/** What has a sensitive part counts as well. */
function isCovered({ isTelling, marked, unwrapped }: Place): boolean {
  return isTelling || marked !== undefined || unwrapped !== undefined
}

/**
 * An attribute of any type is written as `{"value": …, "type": …}`, and the recorded paths lead through it without
 * that step. Whether an object is such a wrapper cannot be seen, so paths are also compared without it.
 */
const WRAPPER = 'value'

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
