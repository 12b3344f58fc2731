import { z } from 'zod'
import type { KeyRing } from './key-ring.ts'

/**
 * A sealed text in a document. Bind it to its place by the context: the document and the field, and the id of the entry
 * if the field is in a list.
 */
export const SealedText = z.string().regex(/^v1\.[0-9A-Za-z_-]{1,32}\.[0-9A-Za-z_-]+$/, 'is not sealed')

export function openText(ring: KeyRing, sealed: string, context: string): string {
  return ring.open(sealed, context).toString('utf8')
}

/** The same text, sealed by the current key. One that it sealed already stays as it is. */
export function sealAgain(ring: KeyRing, sealed: string, context: string): string {
  return ring.isCurrent(sealed) ? sealed : ring.seal(ring.open(sealed, context), context)
}

/**
 * Call it in a transition on what is to be stored: replacing a key needs no pass over the bucket then. The very same
 * object if nothing has to be sealed again.
 */
export function sealFieldsAgain<
  Field extends string,
  T extends { readonly [F in Field]?: string | undefined },
>(ring: KeyRing, value: T, contexts: Readonly<Record<Field, string>>): T {
  const fresh: Record<string, string> = {}
  for (const field of Object.keys(contexts) as Field[]) {
    const sealed = value[field]
    if (sealed !== undefined && !ring.isCurrent(sealed))
      fresh[field] = sealAgain(ring, sealed, contexts[field])
  }
  return Object.keys(fresh).length === 0 ? value : { ...value, ...fresh }
}
