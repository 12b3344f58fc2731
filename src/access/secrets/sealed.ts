import { z } from 'zod'
import { isTacoError } from '../../base/errors.ts'
import type { Sealing } from './sealing.ts'

/**
 * A sealed text in a document. Bind it to its place by the context: the document and the field, and the id of the entry
 * if the field is in a list.
 */
export const SealedText = z.string().regex(/^v1\.[0-9A-Za-z_-]{1,32}\.[0-9A-Za-z_-]+$/, 'is not sealed')

export function openText(ring: Pick<Sealing, 'open'>, sealed: string, context: string): string {
  return ring.open(sealed, context).toString('utf8')
}

/**
 * The same text, sealed by the current key. Call it for each sealed field of a document that is about to be written:
 * replacing a key needs no pass over the bucket then. What cannot be opened stays as it is, so that a lost key does not
 * stand in the way of other changes of the document, above all of entering the secret again.
 */
export function sealAgain(ring: Sealing, sealed: string, context: string): string {
  if (ring.isCurrent(sealed)) return sealed
  try {
    return ring.seal(ring.open(sealed, context), context)
  } catch (error) {
    if (isTacoError(error, 'SECRET_UNREADABLE')) return sealed
    throw error
  }
}
