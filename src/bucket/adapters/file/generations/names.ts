import { badRequest } from '../../../../base/errors.ts'
import { checkKey, foldKey } from '../../../keys.ts'

export const OWN = '.taco'
export const OBJECTS = `${OWN}/objects`
export const TEMP = `${OWN}/tmp`

/** What is left of the usual 255 bytes when a generation and a nonce have been added. */
const MAX_SEGMENT_BYTES = 215

/** The paths of an object. `plain` is undefined for our own documents, because nothing else reads them. */
export interface Place {
  readonly key: string
  readonly plain: string | undefined
  readonly plainFolder: string | undefined
  /** The folder of generations. Many keys share it: `<name>@<n>`. */
  readonly folder: string
  readonly name: string
}

export function placeOf(root: string, key: string): Place {
  checkKey(key)
  const segments = key.split('/')
  const long = segments.find((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
  if (long !== undefined) throw refused(key, `a segment is longer than ${MAX_SEGMENT_BYTES} bytes`)
  const name = segments.pop() ?? ''
  const parent = segments.join('/')
  if (segments[0] === OWN) {
    if (isReserved(segments[1] ?? name)) throw refused(key, `${OBJECTS} and ${TEMP} are the folder's own`)
    return { key, plain: undefined, plainFolder: undefined, folder: `${root}/${hidden(parent)}`, name }
  }
  const first = segments[0] ?? name
  if (first !== OWN && foldKey(first) === OWN)
    throw refused(key, `on some file systems "${first}" is the folder ${OWN}`)
  if (parent === '' && name === OWN) throw refused(key, `${OWN} is a folder`)
  return {
    key,
    plain: `${root}/${key}`,
    plainFolder: parent === '' ? root : `${root}/${parent}`,
    folder: parent === '' ? `${root}/${OBJECTS}` : `${root}/${OBJECTS}/${hidden(parent)}`,
    name,
  }
}

export function isReserved(segment: string): boolean {
  return segment === 'objects' || segment === 'tmp'
}

function refused(key: string, why: string): Error {
  return badRequest('key', `The key ${JSON.stringify(key)} cannot be used: ${why}.`, 'Choose another key.')
}

/** The folder `a@1` must not take the place of generation 1 of the object `a`, so it is called `a@1@`. */
export function hidden(folder: string): string {
  return folder.includes('@') ? folder.split('/').map(hiddenSegment).join('/') : folder
}

function hiddenSegment(segment: string): string {
  return /@\d+@*$/.test(segment) ? `${segment}@` : segment
}

export function shownSegment(segment: string): string {
  return /@\d+@+$/.test(segment) ? segment.slice(0, -1) : segment
}

export function generationPath(place: Place, n: number): string {
  return `${place.folder}/${place.name}@${n}`
}

/** A copy that waits to become the plain file, or the mark of a delete whose plain file is still there. */
export function pendingPath(place: Place, n: number, id: string): string {
  return `${place.folder}/${place.name}@${n}^${id}`
}

export interface GenerationName {
  readonly name: string
  readonly n: number
  readonly pending: string | undefined
}

export function parseGenerationName(text: string): GenerationName | undefined {
  const at = text.lastIndexOf('@')
  if (at <= 0) return undefined
  const rest = text.slice(at + 1)
  const caret = rest.indexOf('^')
  const digits = caret === -1 ? rest : rest.slice(0, caret)
  const n = Number(digits)
  if (!(n >= 1) || String(n) !== digits) return undefined
  return {
    name: text.slice(0, at),
    n,
    pending: caret === -1 ? undefined : rest.slice(caret + 1),
  }
}
