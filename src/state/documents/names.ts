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
const UNIT_ID = /^ws-[1-9A-HJ-NP-Za-km-z]{16}$/
const ORG = /^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$/

/** Any name that a unit may have, also one that was given when less was refused: to find units by. */
export function parseUnitName(text: string): string {
  if (text === '') throw badRequest('unit', 'the unit name is empty', 'give a path such as prod/network/vpc')
  if (text.length > MAX_NAME) {
    throw badRequest('unit', `the unit name has ${text.length} characters`, `use at most ${MAX_NAME}`)
  }
  const flatLength = flatName(text).length
  if (flatLength > MAX_FLAT_NAME) {
    throw badRequest(
      'unit',
      `the unit name has ${flatLength} characters, where every "/" counts as two`,
      `use at most ${MAX_FLAT_NAME} that way, with fewer parts`,
    )
  }
  for (const segment of text.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') {
      throw badRequest(
        'unit',
        `the unit name "${text}" has an empty, "." or ".." part`,
        'use a plain path such as prod/network/vpc',
      )
    }
    if (segment.includes('--') || !SEGMENT.test(segment)) {
      throw badRequest(
        'unit',
        `the unit name "${text}" has a part that cannot be used: "${segment}"`,
        'parts are made of a-z, A-Z, 0-9, ".", "_", "-" and inner spaces; no "--", and no "-" at either end',
      )
    }
  }
  if (isOwn(text)) {
    throw badRequest(
      'unit',
      'a unit name cannot begin with .taco',
      'that folder is where OpenTaco keeps its records',
    )
  }
  if (UNIT_ID.test(text))
    throw badRequest('unit', 'a unit name cannot have the form of a unit id', 'choose another name')
  return text
}

/** A name that a unit may be given now. */
export function parseNewUnitName(text: string): string {
  const name = parseUnitName(text)
  const segment = stateFileIn(name)
  if (segment === undefined) return name
  throw badRequest(
    'unit',
    `the unit name "${name}" has a part that ends like a state file: "${segment}"`,
    'name the unit after the folder that the state lies in; a key of your own is given with --key',
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
    `"${text}" cannot be the name of an organization`,
    'use 1 to 40 of a-z, 0-9, "-" and "_"',
  )
}

/** `.Taco` is the same folder where case does not count. */
function isOwn(path: string): boolean {
  return foldKey(path.split('/', 1)[0] ?? '') === '.taco'
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
      `"${text}" cannot be the key of a state`,
      `use a plain path such as prod/network/terraform.tfstate, of at most 900 bytes and ${MAX_KEY_PART_BYTES} in each part`,
    )
  if (isOwn(text)) {
    throw badRequest('key', 'a state cannot lie under .taco/', 'that is where OpenTaco keeps its records')
  }
  if (text.endsWith('.tflock'))
    throw badRequest('key', 'a state key cannot end in .tflock', 'that is the lock of another state')
  return text
}

const MOST_LABELS = 64

/** Labels are in every list of units, so a unit has not any number of them. */
export function checkLabelCount(labels: Readonly<Record<string, string | null>>): void {
  const count = Object.values(labels).filter((value) => value !== null).length
  if (count > MOST_LABELS)
    throw badRequest('labels', `${count} labels are too many for a unit`, `use at most ${MOST_LABELS}`)
}

export function parseLabels(labels: Readonly<Record<string, string | null>>): void {
  checkLabelCount(labels)
  for (const [name, value] of Object.entries(labels)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_./-]{0,62}$/.test(name)) {
      throw badRequest(
        `labels.${name}`,
        `"${name}" cannot be the name of a label`,
        'use up to 63 letters, digits, ".", "_", "/" and "-"',
      )
    }
    if (value !== null && value.length > 256) {
      throw badRequest(
        `labels.${name}`,
        `the label ${name} has ${value.length} characters`,
        'use at most 256',
      )
    }
  }
}
