import { z } from 'zod'
import {
  type DocumentKind,
  ROOT,
  createDocumentStore,
  documentFields,
  openObject,
} from '../../bucket/index.ts'
import { Event } from '../documents/event.ts'
import type { StateDeps } from '../settings.ts'
import type { Caller, Outbox } from '../state-control.ts'

const ServerRetention = openObject({
  ...documentFields(1),
  /** The place of the latest record of the server that was removed, or is about to be. */
  pruned: z.string(),
  outbox: z.array(Event),
})
type ServerRetention = z.infer<typeof ServerRetention>

const kind: DocumentKind<ServerRetention, undefined> = {
  name: 'retention of the server',
  format: { schema: ServerRetention, major: 1, minor: 0 },
  keyOf: () => `${ROOT}audit/retention.json`,
}

/** How far the records that belong to no organization were removed. */
export interface ServerRetentionStore {
  pruned(): Promise<string>
  /** Before they are removed. */
  note(upTo: string, events: number, caller: Caller): Promise<void>
}

export function createServerRetention(deps: StateDeps, outbox: Outbox): ServerRetentionStore {
  const documents = createDocumentStore<ServerRetention, undefined, Event>({ ...deps, outbox }, kind)
  return {
    pruned: async () => (await documents.peek(undefined))?.value.pruned ?? '',
    async note(upTo, events, caller) {
      const event = outbox.make({ org: '' }, { type: 'gc.pruned', caller, data: { events } })
      if ((await documents.find(undefined)) === undefined) {
        const made = await documents.create(undefined, { pruned: upTo }, { events: [event] })
        if (made !== undefined) return
      }
      await documents.change(undefined, (value) =>
        value.pruned >= upTo
          ? { value, answer: null }
          : { value: { ...value, pruned: upTo }, events: [event], answer: null },
      )
    },
  }
}
