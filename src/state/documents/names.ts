import { badRequest } from '../../base/errors.ts'
import { foldKey } from '../../bucket/index.ts'

/**
 * A unit's name is a path: `prod/network/vpc`. On Terraform Cloud's API and in our own paths `/` is written `--`,
 * so a segment never contains `--` and never begins or ends with `-`: the mapping is one-to-one.
 */
const SEGMENT = /^[A-Za-z0-9_.](?:[A-Za-z0-9_. -]*[A-Za-z0-9_.])?$/
const MAX_NAME = 200
/** In its one-segment form, in which "/" takes two: with a suffix it must fit into one name of a file system. */
const MAX_FLAT_NAME = 208
/** The same for a part of a state key, to which the lock adds a suffix. */
const MAX_KEY_PART_BYTES = 208
/** Leaves room for the longest unit name. */
const MOST_PREFIX_BYTES = 200
const UNIT_ID = /^ws-[1-9A-HJ-NP-Za-km-z]{16}$/
/** Every bucket has this organization. Its states are not in a folder of their own. */
export const FIRST_ORG = 'default'
const ORG = /^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$/

/** Any name that a unit may have, also one that was given when less was refused: to find units by. */
export function parseUnitName(text: string): string {
  if (text === '')
    throw badRequest('unit', 'The unit name is empty.', 'Give a path such as prod/network/vpc.')
  if (text.length > MAX_NAME) {
    throw badRequest('unit', `The unit name has ${text.length} characters.`, `Use at most ${MAX_NAME}.`)
  }
  const flatLength = flatName(text).length
  if (flatLength > MAX_FLAT_NAME) {
    throw badRequest(
      'unit',
      `The unit name has ${flatLength} characters, where every "/" counts as two.`,
      `Use at most ${MAX_FLAT_NAME} counted this way, with fewer parts.`,
    )
  }
  for (const segment of text.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') {
      throw badRequest(
        'unit',
        `The unit name "${text}" has an empty, "." or ".." part.`,
        'Use a plain path such as prod/network/vpc.',
      )
    }
    if (segment.includes('--') || !SEGMENT.test(segment)) {
      throw badRequest(
        'unit',
        `The unit name "${text}" has an invalid part: "${segment}".`,
        'Use a-z, A-Z, 0-9, ".", "_", "-" and inner spaces in each part, without "--" and without "-" at either end.',
      )
    }
  }
  if (isOwn(text)) {
    throw badRequest(
      'unit',
      'A unit name cannot begin with .taco.',
      'OpenTaco keeps its records in that folder.',
    )
  }
  if (UNIT_ID.test(text))
    throw badRequest('unit', 'A unit name cannot look like a unit id.', 'Choose another name.')
  return text
}

/** A name that a unit may be given now. */
export function parseNewUnitName(text: string): string {
  const name = parseUnitName(text)
  const segment = stateFileIn(name)
  if (segment === undefined) return name
  throw badRequest(
    'unit',
    `The unit name "${name}" has a part that ends like a state file: "${segment}".`,
    'Name the unit after the folder of the state. Set the key of the state with --key.',
  )
}

/** False: only units that are there already have such names. */
export function isNewUnitName(name: string): boolean {
  return stateFileIn(name) === undefined
}

function stateFileIn(name: string): string | undefined {
  return name.split('/').find((segment) => /\.(tfstate|tflock)$/.test(segment))
}

export function isUnitId(text: string): boolean {
  return UNIT_ID.test(text)
}

/** One path segment, and one object name: see above. */
export function flatName(name: string): string {
  return name.replaceAll('/', '--')
}

export function nameFromFlat(flat: string): string {
  return flat.replaceAll('--', '/')
}

export function isOrgName(text: string): boolean {
  return ORG.test(text)
}

export function parseOrgName(text: string): string {
  if (isOrgName(text)) return text
  throw badRequest(
    'org',
    `"${text}" is not a valid organization name.`,
    'Use 1 to 40 of a-z, 0-9, "-" and "_".',
  )
}

/** `.Taco` is the same folder where case does not count. */
function isOwn(path: string): boolean {
  return foldKey(path.split('/', 1)[0] ?? '') === '.taco'
}

/** The folder of an organization's states: a plain path, given with or without a slash at the end. */
export function parseOrgPrefix(text: string): string {
  const folder = text.replace(/\/+$/, '')
  const isPlain = folder.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (!isPlain || /[\u0000-\u001f\u007f\\]/.test(folder) || Buffer.byteLength(folder) > MOST_PREFIX_BYTES)
    throw badRequest(
      'prefix',
      `"${text}" is not a valid folder.`,
      `Use a plain path such as teams/a/, with at most ${MOST_PREFIX_BYTES} bytes.`,
    )
  if (isOwn(folder))
    throw badRequest('prefix', 'A folder cannot be under .taco/.', 'OpenTaco keeps its records there.')
  return `${folder}/`
}

/** The key of a state object, given by a person or found in the bucket. */
export function parseStateKey(text: string): string {
  const bad =
    text === '' ||
    Buffer.byteLength(text) > 900 ||
    text
      .split('/')
      .some((part) => part === '.' || part === '..' || Buffer.byteLength(part) > MAX_KEY_PART_BYTES) ||
    text.startsWith('/') ||
    text.endsWith('/') ||
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    /[\u0000-\u001f\u007f\\]/.test(text)
  if (bad)
    throw badRequest(
      'key',
      `"${text}" is not a valid state key.`,
      `Use a plain path such as prod/network/terraform.tfstate, with at most 900 bytes in total and ${MAX_KEY_PART_BYTES} in each part.`,
    )
  if (isOwn(text)) {
    throw badRequest('key', 'A state cannot be stored under .taco/.', 'OpenTaco keeps its records there.')
  }
  if (text.endsWith('.tflock'))
    throw badRequest('key', 'A state key cannot end in .tflock.', 'That is the lock object of another state.')
  return text
}

const MOST_LABELS = 64

/** Labels are in every list of units, so a unit has not any number of them. */
export function checkLabelCount(labels: Readonly<Record<string, string | null>>): void {
  const count = Object.values(labels).filter((value) => value !== null).length
  if (count > MOST_LABELS)
    throw badRequest('labels', `A unit cannot have ${count} labels.`, `Use at most ${MOST_LABELS}.`)
}

export function parseLabels(labels: Readonly<Record<string, string | null>>): void {
  checkLabelCount(labels)
  for (const [name, value] of Object.entries(labels)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/.test(name)) {
      throw badRequest(
        `labels.${name}`,
        `"${name}" is not a valid label name.`,
        'Use up to 128 letters, digits, ".", "_", ":", "/" and "-".',
      )
    }
    if (value !== null && value.length > 256) {
      throw badRequest(
        `labels.${name}`,
        `The value of the label ${name} has ${value.length} characters.`,
        'Use at most 256.',
      )
    }
  }
}
