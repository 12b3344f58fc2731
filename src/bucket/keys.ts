import { badRequest } from '../base/errors.ts'

export const MAX_KEY_BYTES = 1024

/** Throws BAD_REQUEST for a key that not every store could hold; every adapter calls it first. */
export function checkKey(key: string): void {
  const fault = keyFault(key)
  if (fault !== undefined) throw refusal('key', key, fault)
}

/** A prefix may stop in the middle of a segment, so its last segment is free; the ones before are not. */
export function checkPrefix(prefix: string): void {
  if (prefix === '') return
  const folder = prefix.lastIndexOf('/')
  const fault = prefix.startsWith('/')
    ? 'it begins with a slash'
    : (charactersFault(prefix) ?? (folder > 0 ? segmentsFault(prefix.slice(0, folder)) : undefined))
  if (fault !== undefined) throw refusal('prefix', prefix, fault)
}

/** Undefined for a valid key. Listings use it to leave out objects that cannot be addressed. */
export function keyFault(key: string): string | undefined {
  if (key === '') return 'it is empty'
  // What nearly all keys are; this runs for every request.
  if (key.length <= MAX_KEY_BYTES && /^[\u0020-\u007e]+$/.test(key) && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(key))
    return undefined
  return charactersFault(key) ?? segmentsFault(key)
}

function charactersFault(text: string): string | undefined {
  if (Buffer.byteLength(text) > MAX_KEY_BYTES) return `it is longer than ${MAX_KEY_BYTES} bytes`
  // A lone surrogate has no UTF-8 form: it would come back as another key.
  if (/\p{Surrogate}/u.test(text)) return 'it is not valid Unicode'
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'it has a control character'
  return undefined
}

function segmentsFault(text: string): string | undefined {
  for (const segment of text.split('/')) {
    if (segment === '') return 'it has an empty segment'
    if (segment === '.' || segment === '..') return `it has the segment "${segment}"`
  }
  return undefined
}

function refusal(field: string, value: string, fault: string): Error {
  return badRequest(
    field,
    `The ${field} ${JSON.stringify(value)} cannot be used: ${fault}.`,
    'Use segments separated by single slashes, none of them "." or "..", with at most 1024 bytes in total.',
  )
}

/**
 * Keys that some file system treats as the same have the same folded form. The form ignores case, Unicode
 * normalization, zero-width characters, and dots and spaces at the end of a segment. Keys that every file system
 * distinguishes may also share a form.
 */
export function foldKey(key: string): string {
  return key
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .split('/')
    .map((segment) => segment.replace(/[. ]+$/, ''))
    .join('/')
}

/** Order of the UTF-8 bytes, which is what stores sort by; `<` orders by UTF-16 and differs above U+FFFF. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return inUtf8Order(x) - inUtf8Order(y)
  }
  return a.length - b.length
}

/** Surrogates represent code points above all others. */
function inUtf8Order(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
