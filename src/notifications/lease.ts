import { z } from 'zod'
import { type DocumentKind, createDocumentStore, documentFields, openObject } from '../bucket/index.ts'
import type { RecordDeps } from '../records/index.ts'
import { delivererKey } from './layout.ts'

/** Which server delivers, and until when the others leave it to it. */
export const DelivererDocument = openObject({
  ...documentFields(1),
  holder: z.string(),
  until: z.number(),
  /** Grows each time another server takes over. */
  term: z.number().int().min(1),
})
export type DelivererDocument = z.infer<typeof DelivererDocument>

const kind: DocumentKind<DelivererDocument, null> = {
  name: 'deliverer of notifications',
  format: { schema: DelivererDocument, major: 1, minor: 0 },
  keyOf: () => delivererKey,
  cache: { most: 1 },
}

export interface Lease {
  /** The term in which this server delivers. Undefined: another one does. */
  hold(): Promise<number | undefined>
  /** Lets another server go on at once. */
  release(): Promise<void>
}

/**
 * One server delivers, so that each event is sent once. Clocks that differ, or a server that was paused, may let two of
 * them deliver for a while; then some events are sent twice, and none is lost.
 */
export function createLease(deps: RecordDeps, forMs: number): Lease {
  const { clock, ids, bucket } = deps
  const store = createDocumentStore<DelivererDocument, null>({ bucket, clock, ids }, kind)
  const holder = ids.id('srv')
  let held: DelivererDocument | undefined
  let holding: Promise<number | undefined> | undefined

  async function renew(): Promise<number | undefined> {
    const now = clock.now()
    if (held !== undefined && held.until - now > forMs / 2) return held.term
    const mine = { holder, until: now + forMs }
    const found = await store.find(null)
    if (found === undefined) {
      held = (await store.create(null, { ...mine, term: 1 }))?.value
      return held?.term
    }
    const { value } = found
    const isMine = value.holder === holder
    // A time too far ahead is that of a clock that was wrong.
    if (!isMine && value.until > now && value.until < now + 10 * forMs) {
      held = undefined
      return undefined
    }
    held = (await store.swap(found, { ...value, ...mine, term: isMine ? value.term : value.term + 1 }))?.value
    return held?.term
  }

  return {
    // Two at once would take it from each other.
    hold: () => (holding ??= renew().finally(() => (holding = undefined))),
    async release() {
      const found = held && (await store.find(null))
      held = undefined
      if (found?.value.holder === holder) await store.swap(found, { ...found.value, until: 0 })
    },
  }
}
