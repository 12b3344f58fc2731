import { z } from 'zod'
import {
  type DocumentKind,
  type DocumentStore,
  createDocumentStore,
  documentFields,
  openObject,
} from '../bucket/index.ts'
import type { RecordDeps } from '../records/index.ts'
import { DeliveryResponse } from './destination.ts'
import { NotedEvent } from './event.ts'
import { deliveriesKey } from './layout.ts'

/** What waits for delivery to one destination, and how the last deliveries went. */
export const DeliveriesDocument = openObject({
  ...documentFields(1),
  org: z.string(),
  configuration: z.string(),
  /** Oldest first. */
  waiting: z.array(NotedEvent),
  /** Ids of events that were delivered or given up: another server may come across them once more. */
  done: z.array(z.string()),
  /** How often the first of those that wait was tried. */
  attempts: z.number().int().min(0),
  /** Not to be tried before. */
  nextAt: z.number(),
  /** The newest first. */
  responses: z.array(DeliveryResponse),
  /** How many were never delivered, because there were too many or it took too long. */
  givenUp: z.number().int().min(0),
})
export type DeliveriesDocument = z.infer<typeof DeliveriesDocument>

export interface DeliveriesRef {
  readonly org: string
  readonly configuration: string
}

const kind: DocumentKind<DeliveriesDocument, DeliveriesRef> = {
  name: 'list of deliveries',
  format: { schema: DeliveriesDocument, major: 1, minor: 0 },
  keyOf: ({ org, configuration }) => deliveriesKey(org, configuration),
  refOf: ({ org, configuration }) => ({ org, configuration }),
  cache: { most: 5_000 },
}

export type DeliveriesStore = DocumentStore<DeliveriesDocument, DeliveriesRef>

export function createDeliveriesStore({ bucket, clock, ids }: RecordDeps): DeliveriesStore {
  return createDocumentStore<DeliveriesDocument, DeliveriesRef>({ bucket, clock, ids }, kind)
}

/** Changes the document, which is made if there is none. */
export async function changeDeliveries(
  store: DeliveriesStore,
  ref: DeliveriesRef,
  change: (deliveries: DeliveriesDocument) => DeliveriesDocument,
): Promise<DeliveriesDocument> {
  if ((await store.find(ref)) === undefined)
    await store.create(ref, {
      ...ref,
      waiting: [],
      done: [],
      attempts: 0,
      nextAt: 0,
      responses: [],
      givenUp: 0,
    })
  return (await store.change(ref, (before) => ({ value: change(before), answer: undefined }))).value
}
