import type { Ids } from '../../base/ids.ts'

/** `sv-` and this many characters lead to a version of a unit; the rest differs from attempt to attempt. */
const START_LENGTH = 'sv-'.length + 10
const ID_START = /^sv-[0-9A-Za-z]{10,16}$/

/**
 * The beginning of the id of a version that is written later. An attempt that loses its race leaves an object with its
 * id behind, so the whole id cannot be known in advance.
 */
export function newVersionStart(ids: Ids): string {
  return versionStart(ids.id('sv'))
}

/** The part of the id that is known in advance. */
export function versionStart(id: string): string {
  return id.slice(0, START_LENGTH)
}

export function isVersionStart(text: string): boolean {
  return ID_START.test(text)
}

export function versionIdFrom(ids: Ids, start: string | undefined): string {
  const id = ids.id('sv')
  return start === undefined ? id : start + id.slice(start.length)
}
